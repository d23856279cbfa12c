import { LRUCache } from 'lru-cache';
import { atMost } from '#shared/values/at_most.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { type AgentRef, findAgents, type RegisteredAgent, registerAgents } from '#shared/events/parties/agents.ts';
import { type OwnerRef, findOwners, type RegisteredOwner, registerOwners } from '#shared/events/parties/owners.ts';
import { type PayeeRef, findPayees, type RegisteredPayee, registerPayees } from '#shared/events/parties/payees.ts';
import { z } from 'zod';
import type { NormalizedEvent } from '#shared/events/input/event_normalize.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { shownName } from '#shared/values/shown_name.ts';
import { MINUTE } from '#shared/values/time.ts';
import { moveVersions, type Topic } from '#shared/interface/versions.ts';

/**
 * The records an event refers to, by their ids. `source_id` is null when there is no such active source, and the default one where an event
 * that was read elsewhere names one that is not here.
 */
export type References = { source_id: string | null; owner_id: string; agent_id: string; payee_id: string };

/**
 * In the order of the events. `payees_moved`: a payee is new or has a new name, and must be screened. `erasures`: how often parties of the log had
 * been erased when these were looked up.
 */
type Resolved = { references: References[]; payees_moved: boolean; erasures: number };

export type Registry = {
  /** Finds or registers what the events refer to. Asks the database nothing when all of it is cached. */
  resolve(tenant: Tenant, events: NormalizedEvent[], default_source_id: string): Promise<Resolved>;
  /** How often parties of a log have been erased, as far as this process knows. */
  erasures(tenant: Tenant): Promise<number>;
  /** Looks whether parties of a log were erased since: what was looked up before is looked up anew. */
  lookAgain(tenant: Tenant): Promise<void>;
  activeSources(tenant: Tenant, ids: readonly string[]): Promise<(id: string) => boolean>;
};

const remembered = atMost(50_000);
/** Cached records expire after this time: another process may have registered a newer name. */
const REMEMBERED = MINUTE;
const SOURCE_TTL = 10_000;

const Erasures = z.object({ erasures: z.number() });

const SourceState = z.object({ id: z.string(), state: z.string() });

/** Agents, owners, payees and sources, registered at first sight and cached in this process. */
export function createRegistry(db: Db, now: () => number): Registry {
  const owners = new LRUCache<string, RegisteredOwner>({ ...remembered, ttl: REMEMBERED });
  const agents = new LRUCache<string, RegisteredAgent>({ ...remembered, ttl: REMEMBERED });
  const payees = new LRUCache<string, RegisteredPayee>({ ...remembered, ttl: REMEMBERED });
  const erased = new LRUCache<string, number>(remembered);
  const sources = new LRUCache<string, { active: boolean; at: number }>(remembered);

  async function resolve(tenant: Tenant, events: NormalizedEvent[], default_source_id: string): Promise<Resolved> {
    let payees_moved = false;
    const erasures = await erasuresOf(tenant);
    // What was looked up before an erasure, even if it arrives after it, is never found again.
    const scope = `${scopeOf(tenant)}${erasures} `;
    const noting = async <Row>(topic: Topic, { registered, moved }: { registered: readonly Row[]; moved: boolean }) => {
      if (moved) await moveVersions(db, tenant, [topic]);
      return registered;
    };
    const ownerOf = await through(
      owners,
      scope,
      events.map(event => asShown(event.owner)),
      {
        keyOf: refKey,
        isKnown: ownerIsKnown,
        find: missing => findOwners(db, tenant, missing),
        register: async missing => noting('owners', await registerOwners(db, tenant, missing, now())),
        keysOf: rowKeys,
      },
    );
    const owner_ids = events.map(event => ownerOf(asShown(event.owner)));
    const agentRefs = events.map((event, index): AgentRef => ({
      ...asShown(event.agent),
      owner_id: owner_ids[index] ?? '',
    }));
    const agentOf = await through(agents, scope, agentRefs, {
      keyOf: refKey,
      isKnown: agentIsKnown,
      find: missing => findAgents(db, tenant, missing),
      register: async missing => noting('agents', await registerAgents(db, tenant, missing, now())),
      keysOf: rowKeys,
    });
    const payeeOf = await through(
      payees,
      scope,
      events.map(event => asShown(event.payee)),
      {
        keyOf: ref => ref.key,
        isKnown: payeeIsKnown,
        find: missing => findPayees(db, tenant, missing),
        register: async missing => {
          const registered = await registerPayees(db, tenant, missing, now());
          payees_moved ||= registered.moved;
          return noting('payees', registered);
        },
        keysOf: row => [row.key],
      },
    );
    // The source of an event that was read elsewhere is of that place: who sends it on is its source here.
    const source_ids = events.map(({ source_id, position }) =>
      source_id === null ? [default_source_id] : position === null ? [source_id] : [source_id, default_source_id],
    );
    const isActive = await activeSources(tenant, source_ids.flat());
    const references = events.map((event, index) => ({
      source_id: source_ids[index]?.find(isActive) ?? null,
      owner_id: owner_ids[index] ?? '',
      agent_id: agentOf(agentRefs[index] ?? { id: '', owner_id: '' }),
      payee_id: payeeOf(asShown(event.payee)),
    }));
    return { references, payees_moved, erasures };
  }

  async function lookAgain(tenant: Tenant): Promise<void> {
    const { org_id, environment } = tenant;
    const erasures = await db.maybeOneFirst(sql.type(Erasures)`
      select erasures from event_logs where org_id = ${org_id} and environment = ${environment}`);
    erased.set(scopeOf(tenant), erasures ?? 0);
  }

  async function erasuresOf(tenant: Tenant): Promise<number> {
    if (!erased.has(scopeOf(tenant))) await lookAgain(tenant);
    return erased.get(scopeOf(tenant)) ?? 0;
  }

  async function activeSources(tenant: Tenant, ids: readonly string[]): Promise<(id: string) => boolean> {
    const scope = scopeOf(tenant);
    const fresh = (id: string) => {
      const source = sources.get(scope + id);
      return source !== undefined && source.at > now() - SOURCE_TTL ? source : undefined;
    };
    const missing = [...new Set(ids)].filter(id => !fresh(id));
    if (missing.length > 0) {
      const rows = await db.any(sql.type(SourceState)`
        select id, state from sources
        where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = any(${sql.array(missing, 'text')})`);
      const active = new Set(rows.filter(row => row.state === 'active').map(row => row.id));
      for (const id of missing) sources.set(scope + id, { active: active.has(id), at: now() });
    }
    const states = new Map(ids.map(id => [id, sources.get(scope + id)?.active ?? false]));
    return id => states.get(id) ?? false;
  }

  return { resolve, erasures: erasuresOf, lookAgain, activeSources };
}

const scopeOf = ({ org_id, environment }: Tenant) => `${org_id} ${environment} `;

/**
 * Looks refs up in the cache and in the database, registers those that are missing or changed, and returns a function from ref to id. Refs of one key
 * that differ, such as two names of a payee in one batch, are registered one after the other.
 */
async function through<Ref, Row extends { id: string }>(
  cache: LRUCache<string, Row>,
  scope: string,
  refs: Ref[],
  { keyOf, isKnown, find, register, keysOf }: Kind<Ref, Row>,
): Promise<(ref: Ref) => string> {
  const ids = new Map<string, string>();
  let waiting = refs;
  for (let round = 0; waiting.length > 0 && round < MOST_ROUNDS; round += 1) {
    const missing = new Map<string, Ref>();
    const later: Ref[] = [];
    for (const ref of waiting) {
      const key = keyOf(ref);
      const row = cache.get(scope + key);
      if (row && isKnown(ref, row)) ids.set(key, row.id);
      else if (missing.has(key)) later.push(ref);
      else missing.set(key, ref);
    }
    const sorted = [...missing].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, ref]) => ref);
    const found = new Map(
      (sorted.length > 0 ? await find(sorted) : []).flatMap(row => keysOf(row).map(key => [key, row])),
    );
    const strange = sorted.filter(ref => {
      const row = found.get(keyOf(ref));
      return !row || !isKnown(ref, row);
    });
    // What is registered replaces what was found.
    for (const row of [...found.values(), ...(strange.length > 0 ? await register(strange) : [])]) {
      for (const key of keysOf(row)) {
        cache.set(scope + key, row);
        ids.set(key, row.id);
      }
    }
    // One that was erased at this moment is registered anew.
    waiting = [...later, ...[...missing].flatMap(([key, ref]) => (ids.has(key) ? [] : [ref]))];
  }
  return ref => {
    const id = ids.get(keyOf(ref));
    if (id === undefined) throw new Error('a reference was not registered');
    return id;
  };
}

/** Most descriptions of one record that one batch registers; further ones are not registered; a later batch that repeats one does it. */
const MOST_ROUNDS = 5;

/** How one kind of record is recognized and registered. */
type Kind<Ref, Row> = {
  keyOf: (ref: Ref) => string;
  isKnown: (ref: Ref, row: Row) => boolean;
  find: (missing: Ref[]) => Promise<readonly Row[]>;
  register: (missing: Ref[]) => Promise<readonly Row[]>;
  keysOf: (row: Row) => string[];
};

const refKey = (ref: OwnerRef | AgentRef) => ('external_id' in ref ? `external ${ref.external_id}` : ref.id);
const rowKeys = (row: RegisteredOwner | RegisteredAgent) =>
  row.external_id === null ? [row.id] : [row.id, `external ${row.external_id}`];

/** The record gets the name as it is shown; the log keeps it as it was sent. */
function asShown<Ref extends object>(ref: Ref & { name?: string | null | undefined }): Ref & { name?: string | null } {
  const name = ref.name && shownName(ref.name);
  return name === ref.name ? ref : { ...ref, name };
}

const same = (sent: string | null | undefined, registered: string | null) =>
  sent === null || sent === undefined || sent === registered;

const ownerIsKnown = (ref: OwnerRef, row: RegisteredOwner) =>
  'id' in ref || (same(ref.name, row.name) && same(ref.country, row.country));
const agentIsKnown = (ref: AgentRef, row: RegisteredAgent) =>
  'id' in ref || (same(ref.name, row.name) && same(ref.framework, row.framework) && same(ref.model, row.model));
const payeeIsKnown = (ref: PayeeRef, row: RegisteredPayee) =>
  (same(ref.name, row.name) || row.aliases.includes(ref.name ?? '')) &&
  same(ref.country, row.country) &&
  (ref.type === null || row.type !== null);
