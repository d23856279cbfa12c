import { z } from 'zod';
import { areOneInvoice, type Purpose } from '#shared/detection/model/purpose.ts';
import type { PaidElsewhere } from '#shared/detection/model/detector.ts';
import type { PayeeState } from '#shared/detection/model/payees.ts';
import { holding } from '#shared/events/log/holding.ts';
import { counts, type DetectionEvent } from '#shared/events/log/payment.ts';
import { type LoggedEvent, Milliseconds } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { LEAST_OF_INVOICES, type Purposes, readPurposes } from './load_purposes.ts';

const Elsewhere = z.object({
  of_seq: z.number(),
  chain_seq: z.number(),
  payment_id: z.string(),
  agent_name: z.string(),
  occurred_at: Milliseconds,
});

/** What is paid by more agents than this has no invoices, or one for each. */
const MOST_PAYERS = 5;
/** Payments of a payee that are looked through, the latest before the event. */
const MOST_LOOKED_AT = 200;
const MOST_EQUAL = 5;

/**
 * The latest payment of another agent for the invoice that an event of a range names, by the event's place in the log: to the same payee, of the
 * same price, settled (one agent may authorize what another pays), and not failed, canceled or given back. Looked for where few agents pay the payee, and the event names an invoice.
 */
export async function loadPaidElsewhere(
  db: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  payees: ReadonlyMap<string, PayeeState>,
): Promise<ReadonlyMap<number, PaidElsewhere>> {
  const asked = ofFewPayers(events, payees).filter(({ has_purpose }) => has_purpose);
  const placesOf = (list: readonly { chain_seq: number }[]) =>
    list.map(({ chain_seq }) => ({ chain_seq, has_invoices: true }));
  const own = await readPurposes(db, tenant, placesOf(asked));
  const invoiced = asked.filter(({ chain_seq }) => own.get(chain_seq)?.invoice);
  const found = await readEqual(db, tenant, invoiced);
  const theirs = await readPurposes(db, tenant, placesOf(found));
  const isOne = ({ of_seq, chain_seq }: z.infer<typeof Elsewhere>) => isSameInvoice(of_seq, chain_seq, own, theirs);
  // The latest comes first.
  return new Map(
    found
      .filter(isOne)
      .toReversed()
      .map(({ of_seq, ...elsewhere }) => [of_seq, elsewhere]),
  );
}

/** Events that pay someone whom few other agents are known to have paid before them, one at least. */
function ofFewPayers(events: readonly LoggedEvent[], payees: ReadonlyMap<string, PayeeState>): LoggedEvent[] {
  const payers = new Map<string, Set<string>>();
  return events.filter(({ type, usd_micro, payee_id, agent_id }) => {
    if (!counts(type) || usd_micro === null || usd_micro < LEAST_OF_INVOICES) return false;
    const known = payers.get(payee_id) ?? new Set(payees.get(payee_id)?.payers.map(([id]) => id));
    payers.set(payee_id, known);
    const others = known.size - (known.has(agent_id) ? 1 : 0);
    known.add(agent_id);
    return others > 0 && others <= MOST_PAYERS;
  });
}

/** Whether two events, by their places in the log, pay one invoice, or the same part of it. */
export function isSameInvoice(a: number, b: number, own: Purposes, theirs: Purposes): boolean {
  const [one, other] = [own.get(a), theirs.get(b)];
  if (!one?.invoice || !other?.invoice || !areOneInvoice(one.invoice, other.invoice)) return false;
  return !areDifferent(one.series, other.series) && !areDifferent(one.part, other.part);
}

const areDifferent = (a: Purpose['part'] | undefined, b: Purpose['part'] | undefined) => Boolean(a && b && a !== b);

async function readEqual(db: Db, { org_id, environment }: Tenant, events: readonly DetectionEvent[]) {
  if (events.length === 0) return [];
  const rows = events.map(({ chain_seq, payee_id, agent_id, price_key }) => ({
    chain_seq,
    payee_id,
    agent_id,
    price_key,
  }));
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  return db.any(sql.type(Elsewhere)`
    select r.chain_seq as of_seq, p.chain_seq, p.payment_id, p.occurred_at,
      coalesce((select coalesce(name, external_id) from agents where ${here} and id = p.agent_id), p.agent_id) as agent_name
    from ${tableOf('r', rows, { chain_seq: 'int8', payee_id: 'text', agent_id: 'text', price_key: 'text' })}
    cross join lateral (
      select p.* from (
        select e.chain_seq, e.payment_id, e.agent_id, e.occurred_at, e.type, e.price_key from events e
        where ${holding('payee_id', { org_id, environment }, sql.fragment`r.payee_id`)} and e.chain_seq < r.chain_seq
        order by e.chain_seq desc limit ${MOST_LOOKED_AT}) p
      where p.agent_id <> r.agent_id and encode(p.price_key, 'hex') = r.price_key
        and p.type = 'payment.settled' and not exists (
          select from events e
          where ${holding('payment_id', { org_id, environment }, sql.fragment`p.payment_id`)} and e.agent_id = p.agent_id
            and e.chain_seq < r.chain_seq and e.type in ('payment.failed', 'payment.canceled', 'payment.refunded'))
      order by p.chain_seq desc limit ${MOST_EQUAL}) p
    order by of_seq, p.chain_seq desc`);
}
