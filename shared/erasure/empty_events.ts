import { hash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { emptiedInput, hashColumns, type StoredInput, type Unnamed } from '#shared/events/input/erased_input.ts';
import { selectedColumns } from '#shared/events/log/event_columns.ts';
import { linking } from '#shared/events/log/holding.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type StatedErasure, stateErased } from '#shared/ledger/erasure_statement.ts';
import type { SigningKey } from '#shared/ledger/signing_keys.ts';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { ErasureSubject } from './erasures.ts';
import { inParts, namesIn, wordsIn } from './key_words.ts';
import { eventsOf, findPiece } from './subject_events.ts';

/** How many events are emptied in one transaction. */
const AT_ONCE = 250;

const hex = z.string().nullable();
const Row = z.object({
  chain_seq: z.number(),
  digest: z.string(),
  input: z.string(),
  agent_id: z.string(),
  owner_id: z.string(),
  payee_id: z.string(),
  signed: z.boolean(),
  ...(Object.fromEntries(hashColumns.map(name => [name, hex])) as Record<(typeof hashColumns)[number], typeof hex>),
  evidence_count: z.number(),
  values: z.number(),
});

/** An event with the input that remains of it. */
type Emptying = z.infer<typeof Row> & { emptied: string; normal: StoredInput; unnamed: Unnamed };

/** The next events of a subject with something to erase, in log order. `last` is where to continue; null at the end. */
export async function nextEvents(
  db: Db,
  tenant: Tenant,
  subject: ErasureSubject,
  after: number,
): Promise<{ events: Emptying[]; last: number | null }> {
  const { kind } = subject;
  const rows = await db.any(sql.type(Row)`
    select e.chain_seq, encode(e.event_digest, 'hex') as digest, e.input, e.agent_id, e.owner_id, e.payee_id, e.signed, e.evidence_count,
      ${selectedColumns(hashColumns, 'e')},
      (select count(v.value) from evidence v
        where v.org_id = e.org_id and v.environment = e.environment and v.event_id = e.id) as values
    from events e where ${eventsOf(tenant, subject)} and e.chain_seq > ${after}
    order by e.chain_seq limit ${AT_ONCE}`);
  const is = (party: ErasureSubject['kind']) => kind === 'payment' || kind === party;
  const unnamed = { agent: is('agent') || kind === 'owner', owner: is('owner'), payee: is('payee') };
  const events = rows.flatMap(row => {
    const normal = JSON.parse(row.input) as StoredInput;
    const emptied = canonicalJson(emptiedInput(normal, row, unnamed));
    return emptied === row.input && row.values === 0 ? [] : [{ ...row, emptied, normal, unnamed }];
  });
  return { events, last: rows.length < AT_ONCE ? null : (rows.at(-1)?.chain_seq ?? null) };
}

type Stating = { tenant: Tenant; erasure: StatedErasure; key: SigningKey };

/** Empties these events, after the log has recorded that each one is emptied. */
export async function emptyEvents(
  tx: Db,
  { tenant, erasure, key }: Stating,
  events: readonly Emptying[],
): Promise<void> {
  if (events.length === 0) return;
  const { org_id, environment } = tenant;
  await state(
    tx,
    { tenant, erasure, key },
    events.map(({ chain_seq, digest, emptied, evidence_count }) => ({
      chain_seq,
      event_digest: digest,
      input_sha256: hash('sha256', emptied),
      evidence: Array.from({ length: evidence_count }, (_, position) => position),
    })),
  );
  const seqs = columnOf(events, 'chain_seq', 'int8');
  const inputs = columnOf(events, 'emptied', 'text');
  await tx.query(sql.unsafe`select erase_events(${org_id}, ${environment}, ${erasure.id}, ${seqs}, ${inputs})`);
  const with_alerts = await withAlerts(tx, tenant, events);
  const words = with_alerts.map(({ chain_seq, normal, unnamed }) => ({
    chain_seq,
    words: [...new Set([...wordsIn(normal), ...namesOf(normal, unnamed)])],
  }));
  for (const part of inParts(words))
    await tx.query(sql.unsafe`
      select erase_words_of_alerts(${org_id}, ${environment}, ${erasure.id}, ${sql.array(part.seqs, 'int8')}, ${sql.array(part.words, 'text')})`);
  // The chain data fetched for them.
  await tx.query(sql.unsafe`
    delete from chain_lookups where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${seqs})`);
}

const IdRow = z.object({ id: z.string() });

async function withAlerts(tx: Db, tenant: Tenant, events: readonly Emptying[]): Promise<Emptying[]> {
  const ids = sql.array(
    events.map(({ normal }) => normal.id),
    'text',
  );
  const ids_with_alerts = await tx.anyFirst(sql.type(IdRow)`
    select given.id from unnest(${ids}) as given (id) where exists (
      select from alert_events n where ${linking(tenant, sql.fragment`given.id`)})`);
  const are = new Set(ids_with_alerts);
  return events.filter(({ normal }) => are.has(normal.id));
}

/** The names that an event gives to parties it no longer names. */
function namesOf(normal: StoredInput, unnamed: Unnamed): string[] {
  const names = namesIn(normal);
  return (['agent', 'owner', 'payee'] as const).flatMap(party => (unnamed[party] ? names[party] : []));
}

/** The names that these events give to the subject itself. */
export const namesOfSubject = (events: readonly Emptying[], { kind }: ErasureSubject): string[] =>
  kind === 'agent' || kind === 'owner' || kind === 'payee' ? events.flatMap(({ normal }) => namesIn(normal)[kind]) : [];

const EvidenceRow = z.object({ digest: z.string(), input: z.string(), erased: z.array(z.number()) });

/** Removes one piece of evidence. Returns how many were removed: one, or none if it is already gone. */
export async function emptyPiece(tx: Db, { tenant, erasure, key }: Stating, evidence_id: string): Promise<number> {
  const { org_id, environment } = tenant;
  const { chain_seq, event_id, position, is_there } = await findPiece(tx, tenant, evidence_id);
  if (!is_there) return 0;
  const { digest, input, erased } = await tx.one(sql.type(EvidenceRow)`
    select encode(e.event_digest, 'hex') as digest, e.input, coalesce((
      select jsonb_agg(v.position order by v.position) from evidence v
      where v.org_id = e.org_id and v.environment = e.environment and v.event_id = e.id and (v.value is null or v.position = ${position})), '[]') as erased
    from events e where e.org_id = ${org_id} and e.environment = ${environment} and e.id = ${event_id}`);
  const event = { chain_seq, event_digest: digest, input_sha256: hash('sha256', input), evidence: erased };
  await state(tx, { tenant, erasure, key }, [event]);
  await tx.query(sql.unsafe`
    select erase_evidence(${org_id}, ${environment}, ${erasure.id}, ${chain_seq}, ${evidence_id})`);
  return 1;
}

type ErasedEvent = Parameters<typeof stateErased>[3];

async function state(tx: Db, { tenant, erasure, key }: Stating, events: readonly ErasedEvent[]): Promise<void> {
  const { org_id, environment } = tenant;
  const rows = events.map(event => [event.chain_seq, stateErased(key, tenant, erasure, event)]);
  await tx.query(sql.unsafe`
    insert into erased_events (org_id, environment, chain_seq, number, erasure_id, statement)
    select ${org_id}, ${environment}, s.chain_seq, 1 + coalesce((
      select max(x.number) from erased_events x
      where x.org_id = ${org_id} and x.environment = ${environment} and x.chain_seq = s.chain_seq), 0), ${erasure.id}, s.statement
    from ${sql.unnest(rows, ['int8', 'text'])} as s (chain_seq, statement)`);
}
