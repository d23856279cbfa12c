import { z } from 'zod';
import type { History } from '#shared/detection/model/history.ts';
import { invoiceIn, invoiceNumber } from '#shared/detection/model/invoice.ts';
import { counts, type DetectionEvent, type Payment } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** Whoever pays less at a time pays no invoices. */
const LEAST_MICRO = 10_000_000n;

/** The numbers of the invoices that events name, by their place in the log. */
export type Invoices = ReadonlyMap<number, string>;

/**
 * What invoices the events of a range name whose payee was paid the same price before, or twice within the range, and those earlier payments.
 * Most events have no such twin, or no invoice, and cost nothing more.
 */
export async function loadInvoices(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  histories: ReadonlyMap<string, History>,
): Promise<Invoices> {
  const groups = Map.groupBy(
    events.filter(({ type, usd_micro }) => counts(type) && (usd_micro ?? 0n) >= LEAST_MICRO),
    ({ agent_id, payee_id, price_key }) => `${agent_id} ${payee_id} ${price_key}`,
  );
  const candidates = [...groups.values()].flatMap(group => {
    const [first] = group;
    const earlier = first ? earlierOf(first, histories) : [];
    return new Set([...group, ...earlier].map(({ payment_id }) => payment_id)).size > 1 ? [{ group, earlier }] : [];
  });
  const own = await readInvoices(
    db,
    tenant,
    candidates.flatMap(({ group }) => group),
  );
  const asked = candidates.filter(({ group }) => group.some(({ chain_seq }) => own.has(chain_seq)));
  const earlier = asked.flatMap(each => each.earlier.map(({ counted_seq: chain_seq }) => ({ chain_seq })));
  return new Map([...own, ...(await readInvoices(db, tenant, earlier))]);
}

function earlierOf(
  { agent_id, payee_id, price_key }: DetectionEvent,
  histories: ReadonlyMap<string, History>,
): Payment[] {
  const isSame = (payment: Payment) =>
    payment.price_key === price_key && payment.payee_id === payee_id && payment.counted_seq > 0;
  return (histories.get(agent_id)?.payments ?? []).filter(isSame);
}

const NamingRow = z.object({
  chain_seq: z.number(),
  number: z.string().nullable(),
  description: z.string().nullable(),
});

async function readInvoices(db: Db, { org_id, environment }: Tenant, places: readonly { chain_seq: number }[]) {
  if (places.length === 0) return new Map<number, string>();
  const rows = await db.any(sql.type(NamingRow)`
    select chain_seq, input::jsonb ->> 'description' as description, input::jsonb #>> '{metadata,invoice_number}' as number
    from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${columnOf(places, 'chain_seq', 'int8')})
      and input ~* '"(description|metadata)":'`);
  return new Map(
    rows.flatMap(({ chain_seq, number, description }) => {
      const invoice = invoiceNumber(number ?? '') ?? invoiceIn(description ?? '');
      return invoice ? [[chain_seq, invoice] as const] : [];
    }),
  );
}
