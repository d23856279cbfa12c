import { z } from 'zod';
import { erasedKey } from '#shared/events/input/erased_input.ts';
import { holding } from '#shared/events/log/holding.ts';
import { lockScreenings } from '#shared/events/parties/payees.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { fold } from '#shared/values/fold.ts';
import type { ErasureSubject } from './erasures.ts';

/** The ids of the records that lose their names. */
export type Parties = { agents: readonly string[]; owners: readonly string[]; payees: readonly string[] };

/** The most of a payment's parties, of each kind, that are looked up. */
const MOST_PARTIES = 1_000;

const Ids = z.object({ id: z.string() });

/** The agents of an owner up to a position in the log, each with whether it paid only for that owner. */
export type AgentsSeen = { size: number; ids: readonly string[]; only_ones: readonly boolean[] };

/**
 * The parties that lose their names with a subject: the subject itself; for an owner also the agents that pay only for that owner; for a
 * payment the parties that no other payment names. `seen`: the agents found earlier, so that only later events are read.
 */
export async function partiesOf(
  db: Db,
  tenant: Tenant,
  subject: ErasureSubject,
  agents_seen: AgentsSeen = noneSeen,
): Promise<Parties> {
  const { kind, id } = subject;
  const none: Parties = { agents: [], owners: [], payees: [] };
  if (kind === 'evidence') return none;
  if (kind === 'agent') return { ...none, agents: [id] };
  if (kind === 'payee') return { ...none, payees: [id] };
  if (kind === 'owner') return { ...none, owners: [id], agents: onlyOnes(await agentsOf(db, tenant, id, agents_seen)) };
  const [agents, owners, payees] = [
    await onlyIn(db, tenant, 'agent_id', id),
    await onlyIn(db, tenant, 'owner_id', id),
    await onlyIn(db, tenant, 'payee_id', id),
  ];
  return { agents, owners, payees };
}

const noneSeen: AgentsSeen = { size: 0, ids: [], only_ones: [] };

const onlyOnes = ({ ids, only_ones }: AgentsSeen): string[] => ids.filter((_, i) => only_ones[i]);

const AgentsRow = z.object({ ids: z.array(z.string()), only_ones: z.array(z.boolean()), size: z.number() });

/**
 * The agents of an owner in all events so far. It reads all events of those that pay only for that owner, so the log should not be locked.
 */
export const agentsOf = (
  db: Db,
  { org_id, environment }: Tenant,
  owner_id: string,
  agents_seen: AgentsSeen = noneSeen,
): Promise<AgentsSeen> => {
  const tenant = { org_id, environment };
  return db.one(sql.type(AgentsRow)`
    select coalesce(array_agg(a.id order by a.id), '{}') as ids, coalesce(array_agg(a.only_one order by a.id), '{}') as only_ones,
      coalesce((select size from event_logs where org_id = ${org_id} and environment = ${environment}), 0) as size
    from (
      select a.id, coalesce(s.only_one, true) and not exists (
        select from events e where ${holding('agent_id', tenant, sql.identifier(['a', 'id']))} and e.owner_id <> ${owner_id}
          and e.chain_seq > case when s.id is null then 0 else ${agents_seen.size} end)
        and not exists (
          select from archived_events x where x.org_id = ${org_id} and x.environment = ${environment} and x.agent_id = a.id) as only_one
      from agents a
      left join unnest(${sql.array([...agents_seen.ids], 'text')}, ${sql.array([...agents_seen.only_ones], 'bool')}) as s (id, only_one) on s.id = a.id
      where a.org_id = ${org_id} and a.environment = ${environment} and a.owner_id = ${owner_id}) a`);
};

/** The parties that no other payment names, in the database or in an archive. */
const onlyIn = (db: Db, tenant: Tenant, column: 'agent_id' | 'owner_id' | 'payee_id', payment_id: string) =>
  db.anyFirst(sql.type(Ids)`
    with named as (
      select distinct ${sql.identifier(['e', column])} as id from events e where ${holding('payment_id', tenant, payment_id)}
      limit ${MOST_PARTIES})
    select n.id from named n
    where not exists (
      select from events e where ${holding(column, tenant, sql.identifier(['n', 'id']))} and e.payment_id <> ${payment_id})
      and not exists (
        select from archived_events a
        where a.org_id = ${tenant.org_id} and a.environment = ${tenant.environment} and ${sql.identifier(['a', column])} = n.id
          and a.payment_id <> ${payment_id})
    order by n.id`);

const Counts = z.object({ agents: z.number(), owners: z.number(), payees: z.number() });

/** How many of these still have a name or a key that the service did not make up. */
export async function countNamed(db: Db, { org_id, environment }: Tenant, parties: Parties): Promise<number> {
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  const { agents, owners, payees } = await db.one(sql.type(Counts)`
    select (select count(*) from agents where ${here} and id = any(${sql.array([...parties.agents], 'text')})
        and coalesce(external_id, name) is not null) as agents,
      (select count(*) from owners where ${here} and id = any(${sql.array([...parties.owners], 'text')})
        and coalesce(external_id, name) is not null) as owners,
      (select count(*) from payees where ${here} and id = any(${sql.array([...parties.payees], 'text')})
        and key <> 'erased:' || id) as payees`);
  return agents + owners + payees;
}

/**
 * Removes the names and keys from these records, with what was looked up or decided by them. The next event that names one creates a new
 * record. The log must be locked, so that anyone who looked one of them up earlier looks again.
 */
export async function eraseParties(tx: Db, { org_id, environment }: Tenant, parties: Parties): Promise<void> {
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  const agents = sql.array([...parties.agents], 'text');
  const owners = sql.array([...parties.owners], 'text');
  const payees = sql.array([...parties.payees], 'text');
  await tx.query(sql.unsafe`
    update agents set external_id = null, name = null, framework = null, model = null, labels = '{}', folded = ''
    where ${here} and id = any(${agents})`);
  await tx.query(sql.unsafe`
    update owners set external_id = null, name = null where ${here} and id = any(${owners})`);
  const keys = parties.payees.map(id => ({ id, key: erasedKey(id), folded: fold(erasedKey(id)) }));
  // Whoever is screening one of them ends first, and what they wrote goes too.
  await lockScreenings(tx, { org_id, environment }, [...parties.payees]);
  await tx.query(sql.unsafe`
    update payees p set key = k.key, folded = k.folded, name = null, aliases = '{}'
    from ${tableOf('k', keys, { id: 'text', key: 'text', folded: 'text' })}
    where p.org_id = ${org_id} and p.environment = ${environment} and p.id = k.id`);
  await tx.query(sql.unsafe`
    update payee_screenings set match = null, due_at = null where ${here} and payee_id = any(${payees})`);
  await tx.query(sql.unsafe`
    delete from screening_matches where ${here} and screening_id in (
      select id from screenings where ${here} and payee_id = any(${payees}))`);
  await tx.query(sql.unsafe`
    update screenings set allowed_by = null, query = query || '{"key": null, "name": null, "aliases": [], "wallets": [], "identifiers": []}'
    where ${here} and payee_id = any(${payees})`);
  for (const table of ['payee_identities', 'screening_pairs'])
    await tx.query(sql.unsafe`
      delete from ${sql.identifier([table])} where ${here} and payee_id = any(${payees})`);
  await tx.query(sql.unsafe`update event_logs set erasures = erasures + 1 where ${here}`);
  // Detection reloads what it caches of the log, which includes names.
  await tx.query(sql.unsafe`update detection_cursors set repriced = repriced + 1 where ${here}`);
}

const Words = z.object({ words: z.array(z.string()) });

/** The names and keys that these records have or had. */
export const wordsOf = (db: Db, { org_id, environment }: Tenant, parties: Parties) => {
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  return db.oneFirst(sql.type(Words)`
    select coalesce(array_agg(distinct w), '{}') as words from (
      select unnest(array[external_id, name]) from agents where ${here} and id = any(${sql.array([...parties.agents], 'text')})
      union all
      select unnest(array[external_id, name]) from owners where ${here} and id = any(${sql.array([...parties.owners], 'text')})
      union all
      select unnest(array[key, name] || aliases) from payees where ${here} and id = any(${sql.array([...parties.payees], 'text')})
    ) t (w) where w is not null and w not like 'erased:%'`);
};
