import { z } from 'zod';
import { type Db, sql } from '#shared/db.ts';
import { Milliseconds } from '#shared/detection/load.ts';
import type { DetectionEvent } from '#shared/detection/payment.ts';
import type { PayeeCache } from '#shared/detection/range_cache.ts';
import type { Tenant } from '#shared/schemas.ts';
import { DAY, timestamp } from '#shared/time.ts';

/** What is known of a payee, for the organization as a whole. Times are milliseconds since 1970. */
export type PayeeState = {
  /** Its canonical key, see `payee_key.ts`. */
  key: string;
  /** When anybody first paid it; null: nobody has. */
  first_paid_at: number | null;
  /** The latest first payments of agents to it, oldest first; kept only while it is young. */
  starts: Start[];
  /** What it goes by: what it was paid under before. */
  identities: Set<string>;
  /** Others that were paid before under an identity that is new for this payee, by the identity. */
  namesakes: Map<string, Namesake[]>;
  /** What screening holds against it; null: nothing. Read anew for each range. */
  screening: Screened | null;
};

/** The payees of a range, and which of them wait for an identity to be known: another may be paid under it meanwhile. */
export type Payees = { states: Map<string, PayeeState>; waiting: Map<string, Set<PayeeState>> };

/** An agent's first payment to a payee. */
export type Start = { agent_id: string; at: number; seq: number };

/** Another payee that goes by the same identity. */
export type Namesake = { payee_id: string; key: string; name: string | null; first_paid_at: number };

/** `score` 0 to 1 as a decimal string, and whom the payee matches. */
export type Screened = { state: 'potential_match' | 'confirmed_match'; score: string | null; match: string | null };

/** A payee is young for so long; who begins to pay an older one is no news. */
export const YOUNG = 8 * DAY;
/** First payments that are kept of a payee. */
const MOST_STARTS = 100;
/** Payees of one identity that are looked at: the first ones. */
const MOST_NAMESAKES = 20;

/** What an event says its payee goes by. Wallets are told by the first and last four characters of their address. */
export function identitiesOf(
  { payee_name_key, domain_key }: Pick<DetectionEvent, 'payee_name_key' | 'domain_key'>,
  key: string,
): string[] {
  const identities: string[] = [];
  if (payee_name_key !== null) identities.push(`name:${payee_name_key}`);
  if (domain_key !== null) identities.push(`domain:${domain_key}`);
  const wallet = walletOf(key);
  if (wallet) identities.push(wallet);
  return identities;
}

function walletOf(key: string): string | null {
  const [namespace = '', , address] = key.split(':');
  if (!address) return null;
  if (namespace === 'eip155') return `wallet:eip155:${(address.slice(2, 6) + address.slice(-4)).toLowerCase()}`;
  return namespace === 'solana' ? `wallet:solana:${address.slice(0, 4)}${address.slice(-4)}` : null;
}

/** Size of a payee for a cache. */
export const sizeOfPayee = ({ starts, identities, namesakes }: PayeeState): number =>
  3 + starts.length + identities.size + namesakes.size * MOST_NAMESAKES;

/**
 * What is known at `cursor` of the payees of these events: from the cache, or loaded. Of an identity that is new for a payee, the others
 * that go by it are looked up.
 */
export async function loadPayees(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  cursor: number,
  cache: PayeeCache,
): Promise<Payees> {
  const payees = new Map<string, PayeeState>();
  const missing = new Set<string>();
  for (const { payee_id } of events) {
    if (payees.has(payee_id) || missing.has(payee_id)) continue;
    const known = cache.get(tenant, payee_id);
    if (known) payees.set(payee_id, known);
    else missing.add(payee_id);
  }
  if (missing.size > 0) {
    const loaded = await loadStates(db, tenant, [...missing], cursor);
    await loadStarts(db, tenant, loaded, cursor, (events[0]?.received_at ?? 0) - YOUNG);
    for (const [id, state] of loaded) payees.set(id, state);
  }
  const waiting = await loadNamesakes(db, tenant, events, payees, cursor);
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
  first_paid_at: Milliseconds.nullable(),
  identities: z.array(z.string()),
});

async function loadStates(db: Db, { org_id, environment }: Tenant, ids: string[], cursor: number) {
  const rows = await db.any(sql.type(StateRow)`
    select y.id, y.key,
      (select p.first_seen_at from agent_payees p
        where p.org_id = y.org_id and p.environment = y.environment and p.payee_id = y.id and p.first_seq <= ${cursor}
        order by p.first_seen_at limit 1) as first_paid_at,
      array(select i.identity from payee_identities i
        where i.org_id = y.org_id and i.environment = y.environment and i.payee_id = y.id and i.first_seq <= ${cursor}
        limit ${MOST_IDENTITIES}) as identities
    from payees y where y.org_id = ${org_id} and y.environment = ${environment} and y.id = any(${sql.array(ids, 'text')})`);
  return new Map(
    rows.map(({ id, key, first_paid_at, identities }): [string, PayeeState] => [
      id,
      { key, first_paid_at, starts: [], identities: new Set(identities), namesakes: new Map(), screening: null },
    ]),
  );
}

/** A payee with more names than this is asked for again what it goes by. */
const MOST_IDENTITIES = 200;

const StartRow = z.object({ payee_id: z.string(), agent_id: z.string(), at: Milliseconds, seq: z.number() });

/** Who began to pay the young ones of these payees: those first paid after `young`. */
async function loadStarts(
  db: Db,
  { org_id, environment }: Tenant,
  payees: ReadonlyMap<string, PayeeState>,
  cursor: number,
  young: number,
): Promise<void> {
  const ids = [...payees].filter(([, { first_paid_at }]) => first_paid_at !== null && first_paid_at > young);
  if (ids.length === 0) return;
  const rows = await db.any(sql.type(StartRow)`
    select g.id as payee_id, p.agent_id, p.first_seen_at as at, p.first_seq as seq
    from unnest(${sql.array(
      ids.map(([id]) => id),
      'text',
    )}) g (id) cross join lateral (
      select agent_id, first_seen_at, first_seq from agent_payees
      where org_id = ${org_id} and environment = ${environment} and payee_id = g.id and first_seq <= ${cursor}
        and first_seen_at > ${timestamp(young)}
      order by first_seen_at desc limit ${MOST_STARTS}) p
    order by p.first_seen_at`);
  for (const { payee_id, ...start } of rows) payees.get(payee_id)?.starts.push(start);
}

/** Notes that an agent first paid the payee now, or earlier than was known. Changes `state`. */
export function addStart(state: PayeeState, { agent_id, at, seq }: Start): void {
  state.first_paid_at = Math.min(at, state.first_paid_at ?? Infinity);
  const { starts } = state;
  const former = starts.findIndex(start => start.agent_id === agent_id);
  if (former >= 0) starts.splice(former, 1);
  let place = starts.length;
  while (place > 0 && (starts[place - 1]?.at ?? 0) > at) place -= 1;
  starts.splice(place, 0, { agent_id, at, seq });
  if (starts.length > MOST_STARTS) starts.shift();
}

const NamesakeRow = z.object({
  identity: z.string(),
  payee_id: z.string(),
  key: z.string(),
  name: z.string().nullable(),
  first_paid_at: Milliseconds,
});

/**
 * Looks up who else goes by what is new for a payee. Asked anew in each range until the payee is paid under it. Answers with which
 * payees wait for which identity.
 */
async function loadNamesakes(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  payees: ReadonlyMap<string, PayeeState>,
  cursor: number,
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
    select g.identity, i.payee_id, y.key, y.name, i.first_seen_at as first_paid_at
    from unnest(${sql.array([...waiting.keys()], 'text')}) g (identity) cross join lateral (
      select payee_id, first_seen_at from payee_identities
      where org_id = ${org_id} and environment = ${environment} and identity = g.identity and first_seq <= ${cursor}
      limit ${MOST_NAMESAKES}) i
    join payees y on y.org_id = ${org_id} and y.environment = ${environment} and y.id = i.payee_id`);
  for (const { identity, ...namesake } of rows)
    for (const state of waiting.get(identity) ?? []) state.namesakes.get(identity)?.push(namesake);
  return waiting;
}

/** A payee's identity that it was first paid under in a range, ready to be written. */
export type NewIdentity = { identity: string; payee_id: string; first_seen_at: number; first_seq: number };

/** Notes under what the payee of an event was paid, and tells the payees of the range that wait for it. Answers with what is new. */
export function addIdentities(
  { payee_id, occurred_at, chain_seq, payee_name_key, domain_key }: DetectionEvent,
  state: PayeeState,
  waiting: Payees['waiting'],
): NewIdentity[] {
  return identitiesOf({ payee_name_key, domain_key }, state.key).flatMap(identity => {
    if (state.identities.has(identity)) return [];
    state.identities.add(identity);
    state.namesakes.delete(identity);
    for (const other of waiting.get(identity) ?? [])
      other.namesakes.get(identity)?.push({ payee_id, key: state.key, name: null, first_paid_at: occurred_at });
    return [{ identity, payee_id, first_seen_at: occurred_at, first_seq: chain_seq }];
  });
}

const FlaggedRow = z.object({
  id: z.string(),
  state: z.enum(['potential_match', 'confirmed_match']),
  score: z.string().nullable(),
  match: z.string().nullable(),
});

/** Those of these payees that screening holds something against: few, so they are read anew and never kept. */
async function loadFlagged(db: Db, { org_id, environment }: Tenant, ids: string[]): Promise<Map<string, Screened>> {
  const rows = await db.any(sql.type(FlaggedRow)`
    select id, screening_state as state, screening_score as score, screening_match as match from payees
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(ids, 'text')})
      and screening_state in ('potential_match', 'confirmed_match')`);
  return new Map(rows.map(({ id, ...screened }) => [id, screened]));
}
