import { z } from 'zod';
import type { History } from '#shared/detection/model/history.ts';
import { invoiceIn, invoiceNumber, partIn, type Purpose } from '#shared/detection/model/purpose.ts';
import { counts, type DetectionEvent, type Payment } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY } from '#shared/values/time.ts';

/** Whoever pays less at a time pays no invoices; and less than this, what is metered. */
const LEAST_OF_INVOICES = 10_000_000n;
const LEAST_OF_PARTS = 1_000_000n;

/** What events say that they are for, by their place in the log; those that say nothing are left out. */
export type Purposes = ReadonlyMap<number, Purpose>;

/**
 * What the events of a range are for whose payee was paid the same price before, or twice within the range, and those earlier payments.
 * Most events have no such twin, or do not say, and cost nothing more.
 */
export async function loadPurposes(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  histories: ReadonlyMap<string, History>,
): Promise<Purposes> {
  const groups = Map.groupBy(
    events.filter(({ type, usd_micro }) => counts(type) && (usd_micro === null || usd_micro >= LEAST_OF_PARTS)),
    ({ agent_id, payee_id, price_key }) => `${agent_id} ${payee_id} ${price_key}`,
  );
  const candidates = [...groups.values()].flatMap(group => {
    const [first] = group;
    const earlier = first ? earlierOf(first, histories) : [];
    return new Set([...group, ...earlier].map(({ payment_id }) => payment_id)).size > 1 ? [{ group, earlier }] : [];
  });
  const own = await readPurposes(
    db,
    tenant,
    candidates.flatMap(({ group }) => group),
  );
  const asked = candidates.filter(({ group }) => group.some(({ chain_seq }) => own.has(chain_seq)));
  const earlier = asked.flatMap(each => each.earlier.map(({ counted_seq: chain_seq }) => ({ chain_seq })));
  return new Map([...own, ...(await readPurposes(db, tenant, earlier))]);
}

/** Equal payments at hand; of small ones those of the same day. */
function earlierOf(
  { agent_id, payee_id, price_key, usd_micro, occurred_at }: DetectionEvent,
  histories: ReadonlyMap<string, History>,
): Payment[] {
  const from = usd_micro === null || usd_micro >= LEAST_OF_INVOICES ? -Infinity : occurred_at - DAY;
  const isSame = (payment: Payment) =>
    payment.price_key === price_key &&
    payment.payee_id === payee_id &&
    payment.counted_seq > 0 &&
    payment.counted_at >= from;
  return (histories.get(agent_id)?.payments ?? []).filter(isSame);
}

const NamingRow = z.object({
  chain_seq: z.number(),
  number: z.string().nullable(),
  part: z.string().nullable(),
  description: z.string().nullable(),
});

async function readPurposes(db: Db, { org_id, environment }: Tenant, places: readonly { chain_seq: number }[]) {
  if (places.length === 0) return new Map<number, Purpose>();
  const rows = await db.any(sql.type(NamingRow)`
    select chain_seq, input::jsonb ->> 'description' as description, input::jsonb #>> '{metadata,invoice_number}' as number,
      coalesce(input::jsonb #>> '{metadata,part}', input::jsonb #>> '{metadata,milestone}', input::jsonb #>> '{metadata,installment}') as part
    from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${columnOf(places, 'chain_seq', 'int8')})
      and input ~* '"(description|metadata)":'`);
  return new Map(
    rows.flatMap(({ chain_seq, number, part: given, description }) => {
      const invoice = invoiceNumber(number ?? '') ?? invoiceIn(description ?? '');
      const part = given?.trim().slice(0, 100).toLowerCase() ?? partIn(description ?? '');
      return invoice || part ? [[chain_seq, { invoice, part }] as const] : [];
    }),
  );
}
