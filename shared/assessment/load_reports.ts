import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { LoggedEvent } from '#shared/events/ranges/load.ts';
import { type ReportedEvent, reportedEvent } from '#shared/events/log/reported_event.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Evidence } from '#shared/verification/verifier.ts';

/** Normal forms that are parsed at a time: one may have 30 KB. */
const REPORTS_AT_ONCE = 250;
/** Bytes of evidence in memory at a time; a single event may have 1 MB. */
const BYTES_AT_ONCE = 8_000_000;

/** The reports of these events, by chain_seq. */
export async function loadReports(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
): Promise<Map<number, ReportedEvent>> {
  const { org_id, environment } = tenant;
  const reports = new Map<number, ReportedEvent>();
  for (let start = 0; start < events.length; start += REPORTS_AT_ONCE) {
    const some = new Map(events.slice(start, start + REPORTS_AT_ONCE).map(event => [event.chain_seq, event]));
    const rows = await tx.any(sql.type(Input)`
      select chain_seq, input from events
      where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${sql.array([...some.keys()], 'int8')})`);
    for (const { chain_seq, input } of rows) {
      const event = some.get(chain_seq);
      if (event) reports.set(chain_seq, reportedEvent({ ...event, environment }, input));
    }
  }
  return reports;
}

/** The parts of an event to verify. */
export type Proofs = { evidence: Evidence[]; signature: { jws: string; signed_input: string } | null };

/** The evidence and signatures of these events, by chain_seq, in batches. */
export async function* loadProofs(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
): AsyncGenerator<Map<number, Proofs>> {
  for (const part of await partsBySize(tx, tenant, events)) {
    const evidence = await loadEvidence(tx, tenant, part);
    const signatures = await loadSignatures(tx, tenant, part);
    yield new Map(
      part.map(({ chain_seq, id }) => [
        chain_seq,
        { evidence: evidence.get(id) ?? [], signature: signatures.get(chain_seq) ?? null },
      ]),
    );
  }
}

async function partsBySize(tx: Db, { org_id, environment }: Tenant, events: readonly LoggedEvent[]) {
  const withEvidence = events.filter(event => event.evidence_count > 0).map(event => event.id);
  const sizes = new Map<string, number>();
  if (withEvidence.length > 0) {
    const rows = await tx.any(sql.type(Size)`
      select event_id, sum(octet_length(value))::int8 as bytes from evidence
      where org_id = ${org_id} and environment = ${environment} and event_id = any(${sql.array(withEvidence, 'text')})
      group by event_id`);
    for (const { event_id, bytes } of rows) sizes.set(event_id, bytes ?? 0);
  }
  const parts: LoggedEvent[][] = [];
  let bytes = Infinity;
  for (const event of events) {
    const size = sizes.get(event.id) ?? 0;
    if (bytes + size > BYTES_AT_ONCE) {
      parts.push([]);
      bytes = 0;
    }
    bytes += size;
    parts.at(-1)?.push(event);
  }
  return parts;
}

async function loadEvidence(tx: Db, { org_id, environment }: Tenant, events: readonly LoggedEvent[]) {
  const ids = events.filter(event => event.evidence_count > 0).map(event => event.id);
  if (ids.length === 0) return new Map<string, Evidence[]>();
  const rows = await tx.any(sql.type(EvidenceRow)`
    select event_id, id, kind, encoding, is_object, value from evidence
    where org_id = ${org_id} and environment = ${environment} and event_id = any(${sql.array(ids, 'text')})
    order by event_id, position`);
  const evidence = new Map<string, Evidence[]>();
  for (const row of rows) {
    const list = evidence.get(row.event_id) ?? [];
    list.push(evidenceOf(row));
    evidence.set(row.event_id, list);
  }
  return evidence;
}

/** Evidence as verifiers read it, from how it is stored. */
export function evidenceOf({ id, kind, encoding, is_object, value }: StoredEvidence): Evidence {
  if (value === null) return { id, kind, value };
  if (is_object) return { id, kind, value: JSON.parse(value) as Record<string, unknown> };
  return { id, kind, value: encoding === 'base64' ? Buffer.from(value, 'base64').toString() : value };
}

type StoredEvidence = {
  id: string;
  kind: string;
  encoding: string;
  is_object: boolean;
  value: string | null;
};

async function loadSignatures(tx: Db, { org_id, environment }: Tenant, events: readonly LoggedEvent[]) {
  const ids = events.filter(event => event.signed).map(event => event.id);
  if (ids.length === 0) return new Map<number, NonNullable<Proofs['signature']>>();
  const rows = await tx.any(sql.type(Signature)`
    select e.chain_seq, e.input::jsonb ->> 'signature' as jws, s.input as signed_input
    from events e join signed_inputs s on s.org_id = e.org_id and s.environment = e.environment and s.event_id = e.id
    where e.org_id = ${org_id} and e.environment = ${environment} and e.id = any(${sql.array(ids, 'text')})`);
  return new Map(rows.map(({ chain_seq, jws, signed_input }) => [chain_seq, { jws, signed_input }]));
}

const Input = z.object({ chain_seq: z.number(), input: z.string() });
const Size = z.object({ event_id: z.string(), bytes: z.number().nullable() });
const EvidenceRow = z.object({
  event_id: z.string(),
  id: z.string(),
  kind: z.string(),
  encoding: z.string(),
  is_object: z.boolean(),
  value: z.string().nullable(),
});
const Signature = z.object({ chain_seq: z.number(), jws: z.string(), signed_input: z.string() });
