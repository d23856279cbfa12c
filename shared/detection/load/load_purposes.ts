import { z } from 'zod';
import type { History } from '#shared/detection/model/history.ts';
import { isNear } from '#shared/detection/model/near_invoice.ts';
import { type Purpose, purposeOf } from '#shared/detection/model/purpose.ts';
import { KNOWN_FOR, LATEST, mayBeForOneReference, MOST_EQUAL } from '#shared/detection/model/same_reference.ts';
import { counts, type DetectionEvent, type Payment } from '#shared/events/log/payment.ts';
import { hasPurpose, type LoggedEvent } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY } from '#shared/values/time.ts';

/** Whoever pays less at a time pays no invoices; and less than this, what is metered. */
export const LEAST_OF_INVOICES = 10_000_000n;
const LEAST_OF_PARTS = 1_000_000n;
/** What is longer is no number of anything. */
const LONGEST_MEMBER = 100;

/** What events say that they are for, by their place in the log; those that say nothing are left out. */
export type Purposes = ReadonlyMap<number, Purpose>;

/**
 * What the events of a range are for whose payee was paid the same price before, or twice within the range, or nearly the same price, and those
 * earlier payments. Most events have no such twin, or do not say, and cost nothing more.
 */
export async function loadPurposes(
  db: Db,
  tenant: Tenant,
  range: readonly LoggedEvent[],
  histories: ReadonlyMap<string, History>,
): Promise<Purposes> {
  const asking = new Set(range.filter(({ has_purpose }) => has_purpose).map(paidKey));
  const events = asking.size > 0 ? range.filter(event => asking.has(paidKey(event))) : [];
  const groups = Map.groupBy(
    events.filter(({ type, usd_micro }) => counts(type) && (usd_micro === null || usd_micro >= LEAST_OF_PARTS)),
    event => `${paidKey(event)} ${event.price_key}`,
  );
  const equal = [...groups.values()].flatMap(group => {
    const has_invoices = group.every(({ usd_micro }) => usd_micro === null || usd_micro >= LEAST_OF_INVOICES);
    const earlier = earlierOf(group, has_invoices, histories);
    const payments = new Set([...group, ...earlier].map(({ payment_id }) => payment_id));
    return payments.size > 1 ? [{ has_invoices, is_near: false, group, earlier }] : [];
  });
  const candidates = [...equal, ...nearlyEqual(events, histories)];
  const places = candidates.flatMap(({ has_invoices, group }) =>
    group.flatMap(({ chain_seq, has_purpose }) => (has_purpose ? [{ has_invoices, chain_seq }] : [])),
  );
  const holds = holdsOf(range, histories).map(chain_seq => ({ has_invoices: false, chain_seq }));
  const own = await readPurposes(db, tenant, [...places, ...holds]);
  const earlier = candidates.flatMap(candidate =>
    askedOf(candidate, own).map(({ counted_seq }) => ({ ...candidate, chain_seq: counted_seq })),
  );
  const compared = new Map([...own, ...(await readPurposes(db, tenant, earlier))]);
  const others = recordsAround(range, equal, compared, histories).map(chain_seq => ({
    has_invoices: false,
    chain_seq,
  }));
  return new Map([...compared, ...(await readPurposes(db, tenant, others))]);
}

/**
 * The latest payments at hand, by their places in the log, of agents that may have paid for one document again: what others refer to tells whether
 * such references come back.
 */
function recordsAround(
  range: readonly LoggedEvent[],
  candidates: readonly Candidate[],
  compared: Purposes,
  histories: ReadonlyMap<string, History>,
): number[] {
  const agents = candidates.flatMap(({ has_invoices, group, earlier }) => {
    const own = group.map(({ payment_id, chain_seq, occurred_at }) => ({
      payment_id,
      seq: chain_seq,
      at: occurred_at,
    }));
    const before = earlier.map(each => ({ payment_id: each.payment_id, seq: each.counted_seq, at: each.paid_at ?? 0 }));
    const said = [...before, ...own].flatMap(each => {
      const purpose = compared.get(each.seq);
      return purpose ? [{ ...each, purpose }] : [];
    });
    return has_invoices && mayBeForOneReference(said) ? (group[0]?.agent_id ?? []) : [];
  });
  const asked = new Set(agents);
  const stored = [...asked].flatMap(agent => histories.get(agent)?.paid.slice(-LATEST) ?? []);
  const own = range.filter(({ agent_id, type }) => asked.has(agent_id) && counts(type));
  const places = [...stored.map(({ counted_seq }) => counted_seq), ...own.map(({ chain_seq }) => chain_seq)];
  return places.filter(seq => seq > 0 && !compared.has(seq));
}

/** Where holds are in the log for which another sum settles that does not say what for, as the hold may. */
function holdsOf(range: readonly LoggedEvent[], histories: ReadonlyMap<string, History>): number[] {
  const paymentOf = ({ agent_id, payment_id }: LoggedEvent) => `${agent_id} ${payment_id}`;
  const settling = range.filter(({ type, has_purpose }) => type === 'payment.settled' && !has_purpose);
  const earlier = settling.flatMap(({ agent_id, payment_id, price_key }) => {
    const held = histories.get(agent_id)?.by_id.get(payment_id);
    return held?.authorized_key && held.price_key !== price_key ? [held.counted_seq] : [];
  });
  const saying = range.filter(({ type, has_purpose }) => type === 'payment.authorized' && has_purpose);
  const prices = new Map(saying.length > 0 ? settling.map(event => [paymentOf(event), event.price_key]) : []);
  const beside = saying.filter(event => (prices.get(paymentOf(event)) ?? event.price_key) !== event.price_key);
  return [...earlier, ...beside.map(({ chain_seq }) => chain_seq)];
}

const paidKey = ({ agent_id, payee_id }: DetectionEvent) => `${agent_id} ${payee_id}`;

/**
 * The earlier payments that matter by what the events of a group say: all of them for an invoice, none where only an invoice would, and the equal ones of
 * the days before for anything else.
 */
function askedOf({ group, earlier, is_near }: Candidate, own: Purposes): Payment[] {
  const said = group.flatMap(({ chain_seq }) => own.get(chain_seq) ?? []);
  if (said.some(({ invoice, unsure }) => invoice !== null || unsure !== null)) return earlier;
  if (is_near || said.length === 0) return [];
  const heldAt = new Map(earlier.map(({ payment_id, paid_at }) => [payment_id, paid_at ?? Infinity]));
  const near = (at: number) => earlier.filter(({ paid_at }) => Math.abs(at - (paid_at ?? 0)) <= KNOWN_FOR);
  // What the payee got often within the longer time is what it always gets.
  const longer = group.flatMap(({ payment_id, occurred_at }) => {
    const list = near(Math.min(occurred_at, heldAt.get(payment_id) ?? Infinity));
    return list.length > MOST_EQUAL ? [] : list;
  });
  const from = firstOf(group) - REACH;
  return [...new Set([...longer, ...earlier.filter(({ counted_at }) => counted_at >= from)])];
}

/**
 * Events that may pay an invoice whose payee another payment gave nearly the same, with the latest payments to the payee: those tell what is
 * named more often than an invoice is.
 */
function nearlyEqual(events: readonly LoggedEvent[], histories: ReadonlyMap<string, History>): Candidate[] {
  const groups = Map.groupBy(
    events.filter(({ type, usd_micro }) => counts(type) && usd_micro !== null && usd_micro >= LEAST_OF_INVOICES),
    paidKey,
  );
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const earlier = paidTo(first.payee_id, histories.get(first.agent_id));
    const own = group.map(({ usd_micro }) => Number(usd_micro));
    return isOneNear(own, [...earlier.map(({ paid_micro }) => Number(paid_micro)), ...own])
      ? [{ has_invoices: true, is_near: true, group, earlier }]
      : [];
  });
}

/** Whether one of these sums is near another of all, whichever payments they are of; what is next in size decides. */
function isOneNear(own: readonly number[], all: readonly number[]): boolean {
  const sizes = Float64Array.from(new Set(all)).sort();
  const wanted = new Set(own);
  return sizes.some((size, at) => {
    const next = sizes[at + 1] ?? 0;
    return isNear(size, next) && (wanted.has(size) || wanted.has(next));
  });
}

/** The payments at hand of an agent to a payee that may be for invoices. */
function paidTo(payee_id: string, history: History | undefined): Payment[] {
  const isOne = (payment: Payment) =>
    payment.payee_id === payee_id && payment.counted_seq > 0 && payment.paid_micro >= LEAST_OF_INVOICES;
  return history?.paid_payees.has(payee_id) ? history.payments.filter(isOne) : [];
}

type Candidate = { has_invoices: boolean; is_near: boolean; group: LoggedEvent[]; earlier: Payment[] };

/** How far before a payment others are looked at that pay no invoices. */
const REACH = 4 * DAY;

const firstOf = (group: readonly DetectionEvent[]) => Math.min(...group.map(({ occurred_at }) => occurred_at));

/** Payments at hand that are equal to those of a group; where they may be parts but no invoices, from some days before the first on. */
function earlierOf(
  group: readonly DetectionEvent[],
  has_invoices: boolean,
  histories: ReadonlyMap<string, History>,
): Payment[] {
  const [first] = group;
  if (!first) return [];
  const { agent_id, payee_id, price_key } = first;
  const from = has_invoices ? -Infinity : firstOf(group) - REACH;
  const isSame = (payment: Payment) =>
    payment.price_key === price_key &&
    payment.payee_id === payee_id &&
    payment.counted_seq > 0 &&
    payment.counted_at >= from;
  return (histories.get(agent_id)?.payments ?? []).filter(isSame);
}

const NamingRow = z.object({
  chain_seq: z.number(),
  description: z.string().nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
});

type Place = { chain_seq: number; has_invoices: boolean };

/** What these events are for; of those that may name invoices, those too. */
export async function readPurposes(db: Db, { org_id, environment }: Tenant, places: readonly Place[]) {
  if (places.length === 0) return new Map<number, Purpose>();
  const rows = await db.any(sql.type(NamingRow)`
    select chain_seq, said ->> 'description' as description, (
        select jsonb_object_agg(key, value #>> '{}') from jsonb_each(said -> 'metadata')
        where jsonb_typeof(value) in ('string', 'number') and length(value #>> '{}') <= ${LONGEST_MEMBER}
      ) as metadata
    -- The offset has each input parsed once.
    from events cross join lateral (select input::jsonb as said offset 0) i
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${columnOf(places, 'chain_seq', 'int8')})
      and ${hasPurpose}`);
  const invoiced = new Set(places.flatMap(({ chain_seq, has_invoices }) => (has_invoices ? [chain_seq] : [])));
  return new Map(
    rows.flatMap(({ chain_seq, description, metadata }) => {
      const purpose = purposeOf({ description, metadata: metadata ?? {} }, invoiced.has(chain_seq));
      return purpose ? [[chain_seq, purpose] as const] : [];
    }),
  );
}
