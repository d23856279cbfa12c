import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { columnsOf } from './event_columns.ts';
import type { NormalizedEvent } from '#shared/events/input/event_normalize.ts';
import type { References } from './registry.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** An event ready for the log, with the ids of what it refers to. */
export type Entry = { event: NormalizedEvent; references: References & { source_id: string } };

/** Where entries landed: the first got `first_seq`, the others follow without a gap. */
export type Appended = { first_seq: number; received_at: string };

/**
 * Appends entries to the tenant's log: one statement, one transaction, durable when it returns. The row lock on `event_logs` is
 * held only while that statement runs, which is what makes chain_seq gapless and received_at monotonic.
 * Null when one of the ids is in the log already (another request was faster): look again, nothing was stored.
 */
export async function appendEvents(
  db: Db,
  { org_id, environment }: Tenant,
  entries: Entry[],
): Promise<Appended | null> {
  const rows = entries.map(({ event, references }) => {
    const columns = columnsOf({ ...event, evidence_count: event.evidence.length, signed: event.signed_input !== null });
    return [
      event.id,
      columns.type,
      columns.occurred_at,
      references.source_id,
      references.agent_id,
      references.owner_id,
      references.payee_id,
      columns.payment_id,
      columns.rail,
      columns.status,
      columns.amount_usd_micro,
      columns.amount_usd_minor,
      columns.mandate_id,
      columns.evidence_count,
      columns.signed,
      columns.price_key,
      columns.resource_key,
      columns.tool_key,
      columns.tool_call_key,
      columns.attempt,
      columns.payee_country,
      columns.payee_name_key,
      columns.domain_key,
      event.digest,
      event.input,
    ];
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
    return await db.maybeOne(sql.type(Position)`
      with log as (
        update event_logs
        set size = size + ${rows.length}, last_received_at = greatest(last_received_at, clock_timestamp())
        where org_id = ${org_id} and environment = ${environment}
        returning size - ${rows.length} as before, last_received_at as received_at,
          to_char(last_received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as received_text
      ), entry as (
        insert into events (org_id, environment, chain_seq, id, type, occurred_at, received_at, source_id, agent_id, owner_id,
          payee_id, payment_id, rail, status, amount_usd_micro, amount_usd_minor, mandate_id, evidence_count, signed, price_key,
          resource_key, tool_key, tool_call_key, attempt, payee_country, payee_name_key, domain_key, event_digest, leaf_hash, input)
        select ${org_id}, ${environment}, log.before + r.n, r.id, r.type, r.occurred_at, log.received_at, r.source_id, r.agent_id,
          r.owner_id, r.payee_id, r.payment_id, r.rail, r.status, r.usd_micro, r.usd_minor, r.mandate_id, r.evidence_count, r.signed,
          decode(r.price_key, 'hex'), decode(r.resource_key, 'hex'), decode(r.tool_key, 'hex'), decode(r.tool_call_key, 'hex'), r.attempt, r.payee_country,
          decode(r.payee_name_key, 'hex'), decode(r.domain_key, 'hex'), decode(r.digest, 'hex'),
          ${leafHashOf}, r.input
        from log, ${sql.unnest(rows, columnTypes)} with ordinality as r (id, type, occurred_at, source_id, agent_id, owner_id,
          payee_id, payment_id, rail, status, usd_micro, usd_minor, mandate_id, evidence_count, signed, price_key, resource_key, tool_key,
          tool_call_key, attempt, payee_country, payee_name_key, domain_key, digest, input, n)
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

/** Begins the log of a tenant and the cursor of its detection. Doing it again changes nothing. */
export async function openEventLog(db: Db, { org_id, environment }: Tenant): Promise<void> {
  await db.query(sql.unsafe`
    insert into event_logs (org_id, environment) values (${org_id}, ${environment}) on conflict do nothing`);
  await db.query(sql.unsafe`
    insert into detection_cursors (org_id, environment, moved_at) values (${org_id}, ${environment}, now()) on conflict do nothing`);
}

const Existing = z.object({ id: z.string(), chain_seq: z.number(), received_at: z.string(), digest: z.string() });

/** Which of these ids the log has, with where they stand and the hex digest of what was stored. */
export const findLogged = (db: Db, { org_id, environment }: Tenant, ids: string[]) =>
  db.any(sql.type(Existing)`
    select id, chain_seq, received_at, encode(event_digest, 'hex') as digest from events
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(ids, 'text')})`);

const Position = z.object({ first_seq: z.number(), received_at: z.string() });

/** The leaf of `ledger/leaf.ts`, computed where the position becomes known; a test holds the two together. */
const leafHashOf = sql.fragment`sha256('\\x00'::bytea || convert_to(
  '{"event_digest":"' || r.digest || '","received_at":"' || log.received_text || '","seq":' || (log.before + r.n) || ',"v":1}', 'UTF8'))`;

const columnTypes = [
  'text',
  'text',
  'timestamptz',
  'text',
  'text',
  'text',
  'text',
  'text',
  'text',
  'text',
  'numeric',
  'numeric',
  'text',
  'int2',
  'bool',
  'text',
  'text',
  'text',
  'text',
  'int4',
  'text',
  'text',
  'text',
  'text',
  'text',
];
const evidenceTypes = ['text', 'int2', 'text', 'text', 'text', 'text', 'text', 'bool', 'text', 'text'];
