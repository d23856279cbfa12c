import { UniqueIntegrityConstraintViolationError, type ValueExpression } from 'slonik';
import { z } from 'zod';
import { packedRows } from '#shared/platform/bulk.ts';
import { type Db, sql, timeText } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { type ColumnType, reportedColumnList } from './event_columns.ts';
import { leafHashSql } from './leaf.ts';
import type { NormalizedEvent } from '#shared/events/input/event_normalize.ts';
import type { References } from './registry.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** An event ready for the log, with the ids of its parties. */
export type LogEntry = { event: NormalizedEvent; references: References & { source_id: string } };

/** The positions of entries: the first has `first_seq`, the others follow without a gap. */
export type Appended = { first_seq: number; received_at: string };

/**
 * Appends entries to the tenant's log: one statement, one transaction, durable when it returns. The row lock on `event_logs` is held only
 * while that statement runs; it makes chain_seq gapless and received_at monotonic. Returns null, storing nothing, when the log already has
 * one of the ids or has not been opened, or when parties were erased since there were `erasures` of them: look again.
 */
export async function appendEvents(
  db: Db,
  { org_id, environment }: Tenant,
  entries: readonly LogEntry[],
  erasures: number,
): Promise<Appended | null> {
  const ids = entries.map(({ event }) => event.id);
  const rows = entries.map(entry => {
    const { event } = entry;
    const source = { ...event, evidence_count: event.evidence.length, signed: event.signed_input !== null };
    return [...ownColumns.map(({ value }) => value(entry)), ...reportedColumnList.map(({ value }) => value(source))];
  });
  const evidence = entries.flatMap(({ event }) =>
    event.evidence.map((item, position) => [
      event.id,
      position,
      newId('evd'),
      item.kind,
      item.media_type,
      item.encoding,
      item.label,
      item.is_object,
      item.sha256,
      item.value,
    ]),
  );
  const signed = entries.flatMap(({ event }) => (event.signed_input === null ? [] : [[event.id, event.signed_input]]));
  try {
    return await db.maybeOne(sql.prepared(rows.length === 1 ? 'append_event' : 'append_events', Position)`
      with moved as (
        update event_logs
        set size = size + ${rows.length}, last_received_at = greatest(last_received_at, statement_timestamp())
        where org_id = ${org_id} and environment = ${environment} and erasures = ${erasures} and (archived_seq = 0 or not exists (
          select from archived_events a where a.org_id = ${org_id} and a.environment = ${environment} and a.id = any(${sql.array(ids, 'text')})))
        returning size - ${rows.length} as before, last_received_at as received_at
      ), log as (
        select before, received_at, ${timeText(sql.fragment`received_at`)} as received_text from moved
      ), entry as (
        insert into events (org_id, environment, chain_seq, received_at, leaf_hash, ${columnNames})
        select ${org_id}, ${environment}, log.before + r.n, log.received_at, ${leafHash}, ${columnValues}
        from log, ${packedRows(rows, columnTypes)} with ordinality as r (${columnNames}, n)
      ), pieces as (
        insert into evidence (org_id, environment, event_id, position, id, kind, media_type, encoding, label, is_object, sha256, value)
        select ${org_id}, ${environment}, p.event_id, p.position, p.id, p.kind, p.media_type, p.encoding, p.label, p.is_object,
          decode(p.sha256, 'hex'), p.value
        from log, ${sql.unnest(evidence, evidenceTypes)} as p (event_id, position, id, kind, media_type, encoding, label, is_object,
          sha256, value)
      ), signed as (
        insert into signed_inputs (org_id, environment, event_id, input)
        select ${org_id}, ${environment}, s.event_id, s.input from log, ${sql.unnest(signed, ['text', 'text'])} as s (event_id, input)
      )
      select before + 1 as first_seq, received_at from log`);
  } catch (error) {
    if (error instanceof UniqueIntegrityConstraintViolationError) return null;
    throw error;
  }
}

/** Opens the log of a tenant and its detection cursor. A second call changes nothing. */
export async function openEventLog(db: Db, { org_id, environment }: Tenant): Promise<void> {
  await db.query(sql.unsafe`
    insert into event_logs (org_id, environment) values (${org_id}, ${environment}) on conflict do nothing`);
  await db.query(sql.unsafe`
    insert into detection_cursors (org_id, environment, moved_at) values (${org_id}, ${environment}, now()) on conflict do nothing`);
}

const Logged = z.object({
  id: z.string(),
  chain_seq: z.number(),
  received_at: z.string(),
  digest: z.string(),
  agent_id: z.string(),
  owner_id: z.string(),
  payee_id: z.string(),
  source_id: z.string(),
});
export type Logged = z.infer<typeof Logged>;

/**
 * Those of these ids that are in the log: their positions, parties, and the hex digests of the events. For an archived one the source is
 * empty.
 */
export const findLogged = (db: Db, { org_id, environment }: Tenant, ids: string[]) =>
  db.any(sql.type(Logged)`
    select id, chain_seq, received_at, encode(event_digest, 'hex') as digest, agent_id, owner_id, payee_id, source_id from events
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(ids, 'text')})
    union all
    select id, chain_seq, received_at, encode(event_digest, 'hex'), agent_id, owner_id, payee_id, '' from archived_events
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(ids, 'text')})`);

/** The normal forms of stored events, by their positions. */
export async function readInputs(
  db: Db,
  { org_id, environment }: Tenant,
  seqs: number[],
): Promise<Map<number, string>> {
  const rows = await db.any(sql.type(z.object({ chain_seq: z.number(), input: z.string() }))`
    select chain_seq, input from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${sql.array(seqs, 'int8')})`);
  return new Map(rows.map(({ chain_seq, input }) => [chain_seq, input]));
}

const Position = z.object({ first_seq: z.number(), received_at: z.string() });

/** The columns that do not follow from the report: ids, references, and the report itself. */
const ownColumns: { name: string; type: ColumnType; value(entry: LogEntry): string | null }[] = [
  { name: 'id', type: 'text', value: ({ event }) => event.id },
  { name: 'source_id', type: 'text', value: ({ references }) => references.source_id },
  { name: 'agent_id', type: 'text', value: ({ references }) => references.agent_id },
  { name: 'owner_id', type: 'text', value: ({ references }) => references.owner_id },
  { name: 'payee_id', type: 'text', value: ({ references }) => references.payee_id },
  { name: 'event_digest', type: 'bytea', value: ({ event }) => event.digest },
  { name: 'input', type: 'text', value: ({ event }) => event.input },
  { name: 'usd_rate', type: 'jsonb', value: ({ event }) => event.usd_rate && JSON.stringify(event.usd_rate) },
];
const columns = [...ownColumns, ...reportedColumnList];

const listed = (parts: readonly ValueExpression[]) => sql.join(parts, sql.fragment`, `);
const columnNames = listed(columns.map(({ name }) => sql.identifier([name])));
// Bytes are sent in hex.
const columnTypes = columns.map(({ type }) => (type === 'bytea' ? 'text' : type));
const columnValues = listed(
  columns.map(({ name, type }) => {
    const value = sql.identifier(['r', name]);
    return type === 'bytea' ? sql.fragment`decode(${value}, 'hex')` : value;
  }),
);

/** Computed once the position is known. */
const leafHash = leafHashSql({
  seq: sql.fragment`(log.before + r.n)`,
  received_at: sql.fragment`log.received_text`,
  event_digest: sql.fragment`r.event_digest`,
});

const evidenceTypes = ['text', 'int2', 'text', 'text', 'text', 'text', 'text', 'bool', 'text', 'text'];
