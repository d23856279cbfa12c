import { z } from 'zod';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { holdingAny } from '#shared/events/log/holding.ts';
import { ReportedColumns, selectedColumns } from '#shared/events/log/event_columns.ts';
import { type PastEvent, type Payment, withEvent } from '#shared/events/log/payment.ts';
import { EventType, Rail } from '#shared/values/event_types.ts';
import { intern } from '#shared/values/intern.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** A time of the database in milliseconds since 1970. */
export const Milliseconds = z.string().transform(value => Date.parse(value));

/** An amount of the database in micro-USD; null where it has no price. */
export const MicroUsd = z
  .string()
  .nullable()
  .transform(value => (value === null ? null : BigInt(value)));

const LoggedRow = ReportedColumns.omit({ status: true, amount_usd_micro: true, amount_usd_minor: true }).extend({
  chain_seq: z.number(),
  id: z.string(),
  type: EventType,
  occurred_at: Milliseconds,
  received_at: Milliseconds,
  source_id: z.string(),
  agent_id: z.string(),
  owner_id: z.string(),
  payee_id: z.string(),
  rail: Rail,
  usd_micro: MicroUsd,
  /** Whether it may say what it is for. */
  has_purpose: z.boolean(),
  currency: z.string().nullable(),
});

/** An event read from the log, with what is needed to assess it. */
export type LoggedEvent = z.infer<typeof LoggedRow>;

/** More dollars than exist, so that an amount fits into 8 bytes. */
export const MOST_MICRO = '9000000000000000000';

/** The amount of an event in micro-USD as detection counts it: null when unpriced, which `least` would ignore. */
export const countedMicro = sql.fragment`case when amount_usd_micro > ${MOST_MICRO} then ${MOST_MICRO} else amount_usd_micro end`;

/** Whether an event has a description or metadata: quotes within a text of its input are escaped. */
export const hasPurpose = sql.fragment`(strpos(input, '"description":') > 0 or strpos(input, '"metadata":') > 0)`;

/** How the input of an event says its currency, which has three letters, or its token; its metadata may say the same. */
const [CURRENCY, TOKEN] = ['"payment":{"amount":{"currency":"', '"payment":{"amount":{"asset":'];
const afterCurrency = (nth: number) => sql.fragment`split_part(input, ${CURRENCY}, ${nth + 1})`;
const currency = sql.fragment`
  case when ${afterCurrency(2)} <> '' or (${afterCurrency(1)} <> '' and strpos(input, ${TOKEN}) > 0)
      then input::jsonb #>> '{payment,amount,currency}'
    else nullif(left(${afterCurrency(1)}, 3), '') end`;

const { usd_micro: _usd, has_purpose: _has, currency: _currency, ...plainColumns } = LoggedRow.shape;
const loggedColumns = sql.fragment`
  ${selectedColumns(Object.keys(plainColumns))}, ${countedMicro} as usd_micro, ${hasPurpose} as has_purpose, ${currency} as currency`;

/** The cost of an event with evidence or a signature, relative to one without: 0.7 ms for an x402 proof instead of 0.1 ms. */
const PROOF_COST = 7;

/** The expected cost of assessing these events: 1 for one with nothing to verify. */
export const costOf = (events: readonly Pick<LoggedEvent, 'evidence_count' | 'signed'>[]): number =>
  events.reduce((sum, { evidence_count, signed }) => sum + 1 + PROOF_COST * (evidence_count + Number(signed)), 0);

/**
 * The next events of a log after `cursor`, in log order: at most `limit`, ending once they cost `most_cost`. Every event is read here once,
 * so the rows are not parsed by their schema, which took a tenth of the time of a range; the query returns what the schema says.
 */
export async function readRange(
  db: Db,
  { org_id, environment }: Tenant,
  cursor: number,
  limit: number,
  most_cost = Infinity,
): Promise<LoggedEvent[]> {
  const next = sql.fragment`
    select ${loggedColumns} from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq > ${cursor}
    order by chain_seq limit ${limit}`;
  const affordable = sql.fragment`
    with next as materialized (${next}), price as (
      select chain_seq, 1 + ${PROOF_COST} * (evidence_count + signed::int) as cost from next
    ), bill as (select chain_seq, sum(cost) over (order by chain_seq) - cost as before from price)
    select * from next where chain_seq <= (select max(chain_seq) from bill where before < ${most_cost}) order by chain_seq`;
  const rows = await db.any(sql.unsafe`${most_cost === Infinity ? next : affordable}`);
  return (rows as z.input<typeof LoggedRow>[]).map(row => ({
    ...row,
    // What histories keep.
    type: intern(row.type),
    rail: intern(row.rail),
    payee_id: intern(row.payee_id),
    price_key: intern(row.price_key),
    occurred_at: Date.parse(row.occurred_at),
    received_at: Date.parse(row.received_at),
    usd_micro: row.usd_micro === null ? null : BigInt(row.usd_micro),
  }));
}

/** These events of a log, in its order. */
export const readEvents = (
  db: Db,
  { org_id, environment }: Tenant,
  chain_seqs: readonly number[],
): Promise<readonly LoggedEvent[]> =>
  db.any(sql.type(LoggedRow)`
    select ${loggedColumns} from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${sql.array([...chain_seqs], 'int8')})
    order by chain_seq`);

/** Payments with events at or before `cursor`, by payment and agent: those no longer in an agent's history. */
export async function loadPayments(
  db: Db,
  tenant: Tenant,
  payment_ids: string[],
  cursor: number,
): Promise<Map<string, Payment>> {
  return cursor === 0 ? new Map() : paymentsOf(await readPaymentEvents(db, tenant, payment_ids, cursor));
}

/** The events of these payments at or before `cursor`, in log order. */
export const readPaymentEvents = async (
  db: Db,
  tenant: Tenant,
  payment_ids: readonly string[],
  cursor: number,
): Promise<readonly LoggedEvent[]> =>
  payment_ids.length === 0
    ? []
    : db.any(sql.type(LoggedRow)`
        select ${loggedColumns} from (
          select * from events e where ${holdingAny('payment_id', tenant, payment_ids)} and e.chain_seq <= ${cursor}) events
        order by chain_seq limit ${MOST_PAYMENT_EVENTS}`);

/** The payments of these events, by `paymentKey`. */
export function paymentsOf(events: readonly PastEvent[]): Map<string, Payment> {
  const payments = new Map<string, Payment>();
  for (const event of events) {
    const key = paymentKey(event);
    payments.set(key, withEvent(payments.get(key), event));
  }
  return payments;
}

/** A safety bound: nobody sends this many events for the payments of one range. */
const MOST_PAYMENT_EVENTS = 50_000;

/** The last place in the log that any of these events has. */
export const lastPlace = (events: readonly { chain_seq: number }[]): number =>
  events.reduce((last, { chain_seq }) => Math.max(last, chain_seq), 0);

export const paymentKey = ({ agent_id, payment_id }: { agent_id: string; payment_id: string }) =>
  `${agent_id} ${payment_id}`;

const Pair = z.object({ agent_id: z.string(), payee_id: z.string(), first_seen_at: Milliseconds });

/** Which of these agents have paid which of these payees at or before `cursor`, and since when. */
export const loadPaidPairs = (
  db: Db,
  { org_id, environment }: Tenant,
  pairs: { agent_id: string; payee_id: string }[],
  cursor: number,
) =>
  db.any(sql.type(Pair)`
    select p.agent_id, p.payee_id, p.first_seen_at
    from ${tableOf('g', pairs, { agent_id: 'text', payee_id: 'text' })}
    join agent_payees p on p.org_id = ${org_id} and p.environment = ${environment} and p.agent_id = g.agent_id and p.payee_id = g.payee_id
      and p.first_seq <= ${cursor}`);
