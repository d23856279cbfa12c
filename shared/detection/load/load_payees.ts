import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import {
  identitiesOf,
  MOST_NAMESAKES,
  MOST_STARTS,
  type Payees,
  type PayeeState,
  type ScreenedPayee,
  type Start,
  unpaidPayee,
  YOUNG,
} from '#shared/detection/model/payees.ts';
import { CurrenciesPaid } from '#shared/detection/model/currencies_paid.ts';
import { Payers } from '#shared/detection/model/payers.ts';
import { counts, type DetectionEvent } from '#shared/events/log/payment.ts';
import type { PayeeCache } from './detection_cache.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** Agents, and since when what they paid is not known yet, in milliseconds. */
export type Unknown = ReadonlyMap<string, number>;

/**
 * The state at `cursor` of the payees of these events: from the cache, or loaded. For an identity that is new for a payee, the other payees
 * with it are looked up. `unknown`: as if these agents had paid nobody since.
 */
export async function loadPayees(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  cursor: number,
  cache: PayeeCache,
  unknown: Unknown = new Map(),
): Promise<Payees> {
  const payees = new Map<string, PayeeState>();
  const missing = new Set<string>();
  for (const { payee_id } of events) {
    if (payees.has(payee_id) || missing.has(payee_id)) continue;
    const cached = cache.get(tenant, payee_id);
    if (cached) payees.set(payee_id, cached);
    else missing.add(payee_id);
  }
  if (missing.size > 0)
    for (const [id, state] of await loadStates(db, tenant, [...missing], cursor, unknown)) payees.set(id, state);
  await loadStarts(db, tenant, events, payees, { cursor, unknown });
  const waiting = await loadNamesakes(db, tenant, events, payees, { cursor, unknown });
  const flagged = await loadFlagged(db, tenant, [...payees.keys()]);
  for (const [id, state] of payees) {
    state.screening = flagged.get(id) ?? null;
    cache.set(tenant, id, state);
  }
  return { states: payees, waiting };
}

const StateRow = z.object({
  id: z.string(),
  key: z.string(),
  name: z.string().nullable(),
  type: z.string().nullable(),
  first_paid_at: Milliseconds.nullable(),
  identities: z.array(z.string()),
  payers: Payers.nullable(),
  currencies: CurrenciesPaid.nullable(),
});

/** Whether a first payment `p` of an agent is known. */
const isKnown = (unknown: Unknown) =>
  unknown.size === 0
    ? sql.fragment`true`
    : sql.fragment`not exists (
        select from ${sql.unnest(
          [...unknown].map(([agent_id, since]) => [agent_id, timestamp(since)]),
          ['text', 'timestamptz'],
        )} as u (agent_id, since) where u.agent_id = p.agent_id and p.first_seen_at >= u.since)`;

/** Whether anybody is known to have paid a payee; true where all is known. */
const isPaidByKnown = (unknown: Unknown, { org_id, environment }: Tenant, payee_id: FragmentSqlToken) =>
  unknown.size === 0
    ? sql.fragment`true`
    : sql.fragment`exists (
        select from agent_payees p
        where p.org_id = ${org_id} and p.environment = ${environment} and p.payee_id = ${payee_id} and ${isKnown(unknown)})`;

async function loadStates(db: Db, { org_id, environment }: Tenant, ids: string[], cursor: number, unknown: Unknown) {
  const isPaid = isPaidByKnown(unknown, { org_id, environment }, sql.fragment`y.id`);
  const ofKnown = ([agent_id]: readonly [string, ...unknown[]]) => !unknown.has(agent_id);
  const rows = await db.any(sql.type(StateRow)`
    select y.id, y.key, y.name, y.type,
      (select p.first_seen_at from agent_payees p
        where p.org_id = y.org_id and p.environment = y.environment and p.payee_id = y.id and p.first_seq <= ${cursor}
          and ${isKnown(unknown)} order by p.first_seen_at limit 1) as first_paid_at,
      array(select i.identity from payee_identities i
        where i.org_id = y.org_id and i.environment = y.environment and i.payee_id = y.id and i.first_seq <= ${cursor}
          and ${isPaid} limit ${MOST_IDENTITIES}) as identities,
      r.payers, r.currencies
    from payees y left join payee_payers r on r.org_id = y.org_id and r.environment = y.environment and r.payee_id = y.id
    where y.org_id = ${org_id} and y.environment = ${environment} and y.id = any(${sql.array(ids, 'text')})`);
  return rows.map(({ id, first_paid_at, identities, payers, currencies, ...record }): [string, PayeeState] => [
    id,
    {
      ...unpaidPayee(record),
      first_paid_at,
      starts: first_paid_at === null ? [] : null,
      identities: new Set(identities),
      payers: (payers ?? []).filter(ofKnown),
      currencies: (currencies ?? []).filter(ofKnown),
    },
  ]);
}

/** A payee with more identities is looked up again. */
const MOST_IDENTITIES = 200;

const StartRow = z.object({ payee_id: z.string(), agent_id: z.string(), at: Milliseconds, seq: z.number() });

type AsOf = { cursor: number; unknown: Unknown };

/** The first payers of young payees that these events pay, if not loaded yet. Changes `payees`. */
async function loadStarts(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  payees: ReadonlyMap<string, PayeeState>,
  { cursor, unknown }: AsOf,
): Promise<void> {
  const young = new Map<string, Start[]>();
  for (const { type, payee_id, occurred_at } of events) {
    const state = payees.get(payee_id);
    if (!state || state.starts || !counts(type) || occurred_at >= (state.first_paid_at ?? 0) + YOUNG) continue;
    state.starts = [];
    young.set(payee_id, state.starts);
  }
  if (young.size === 0) return;
  const rows = await db.any(sql.type(StartRow)`
    select g.id as payee_id, p.agent_id, p.first_seen_at as at, p.first_seq as seq
    from unnest(${sql.array([...young.keys()], 'text')}) g (id) cross join lateral (
      select p.agent_id, p.first_seen_at, p.first_seq from agent_payees p
      where p.org_id = ${org_id} and p.environment = ${environment} and p.payee_id = g.id and p.first_seq <= ${cursor} and ${isKnown(unknown)}
      order by first_seen_at desc limit ${MOST_STARTS}) p
    order by p.first_seen_at`);
  for (const { payee_id, ...start } of rows) young.get(payee_id)?.push(start);
}

const NamesakeRow = z.object({
  identity: z.string(),
  payee_id: z.string(),
  key: z.string(),
  name: z.string().nullable(),
  type: z.string().nullable(),
  first_paid_at: Milliseconds,
});

/**
 * Looks up the other payees with a new identity of a payee. Repeated in each range until the payee is paid under it. Returns which payees
 * wait for which identity.
 */
async function loadNamesakes(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  payees: ReadonlyMap<string, PayeeState>,
  { cursor, unknown }: AsOf,
): Promise<Payees['waiting']> {
  const waiting: Payees['waiting'] = new Map();
  for (const state of payees.values()) state.namesakes.clear();
  for (const event of events) {
    const state = payees.get(event.payee_id);
    if (!state) continue;
    for (const identity of identitiesOf(event, state.key)) {
      if (state.identities.has(identity)) continue;
      state.namesakes.set(identity, []);
      waiting.set(identity, (waiting.get(identity) ?? new Set()).add(state));
    }
  }
  if (waiting.size === 0) return waiting;
  const rows = await db.any(sql.type(NamesakeRow)`
    select g.identity, i.payee_id, y.key, y.name, y.type, i.first_seen_at as first_paid_at
    from unnest(${sql.array([...waiting.keys()], 'text')}) g (identity) cross join lateral (
      select i.payee_id, i.first_seen_at from payee_identities i
      where i.org_id = ${org_id} and i.environment = ${environment} and i.identity = g.identity and i.first_seq <= ${cursor}
        and ${isPaidByKnown(unknown, { org_id, environment }, sql.fragment`i.payee_id`)}
      order by i.payee_id limit ${MOST_NAMESAKES}) i
    -- A lateral of one row keeps the planner to the primary key.
    cross join lateral (
      select key, name, type from payees where org_id = ${org_id} and environment = ${environment} and id = i.payee_id limit 1) y`);
  for (const { identity, payee_id } of rows) {
    // It was paid under this itself: it has more than MOST_IDENTITIES.
    const own = payees.get(payee_id);
    if (!own || !waiting.get(identity)?.delete(own)) continue;
    own.identities.add(identity);
    own.namesakes.delete(identity);
  }
  // What others were paid by agents that are known may be later than all of this.
  const first_at = new Map<PayeeState, number>();
  for (const { payee_id, occurred_at } of unknown.size > 0 ? events : []) {
    const state = payees.get(payee_id);
    if (state) first_at.set(state, Math.min(occurred_at, first_at.get(state) ?? Infinity));
  }
  for (const { identity, ...namesake } of rows)
    for (const state of waiting.get(identity) ?? [])
      if (namesake.first_paid_at <= (first_at.get(state) ?? Infinity)) state.namesakes.get(identity)?.push(namesake);
  return waiting;
}

const FlaggedRow = z.object({
  id: z.string(),
  state: z.enum(['potential_match', 'confirmed_match']),
  score: z.string().nullable(),
  match: z.string().nullable(),
});

/** Those of these payees with a screening match: few, so they are read each time and never cached. */
async function loadFlagged(
  db: Db,
  { org_id, environment }: Tenant,
  ids: string[],
): Promise<Map<string, ScreenedPayee>> {
  const rows = await db.any(sql.type(FlaggedRow)`
    select payee_id as id, state, score, match from payee_screenings
    where org_id = ${org_id} and environment = ${environment} and payee_id = any(${sql.array(ids, 'text')})
      and state in ('potential_match', 'confirmed_match')`);
  return new Map(rows.map(({ id, ...screened }) => [id, screened]));
}
