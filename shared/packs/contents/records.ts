import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { inChunks } from './chunks.ts';
import { linking } from '#shared/events/log/holding.ts';
import { readEvidence } from '#shared/casework/alert_evidence.ts';
import { type PackAlert, PackMandate, type PackScreening } from '#shared/packs/pack_files.ts';
import { Alert, alertColumns } from '#shared/casework/alerts.ts';
import type { PackScope } from '#shared/packs/store/pack_input.ts';
import { Screening, screeningColumns } from '#shared/screening/store/screenings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const CHUNK = 200;
/** Alerts have hundreds of events each. */
const CHUNK_OF_ALERTS = 20;
const Id = z.object({ id: z.string() });

/** The elements of `mandates.json`: every version of these mandates. */
export async function* readMandates(db: Db, tenant: Tenant, ids: readonly string[]): AsyncGenerator<PackMandate> {
  const { org_id, environment } = tenant;
  for (const chunk of inChunks(ids, CHUNK))
    yield* await db.any(sql.type(PackMandate)`
      select m.id, m.agent_id, m.owner_id, m.source, m.signed_constraints, v.version, v.state, v.name, v.valid_from, v.valid_until,
        v.human_presence, v.constraints, v.external_ref, v.created_at, v.created_by
      from mandates m
      join mandate_versions v on v.org_id = m.org_id and v.environment = m.environment and v.mandate_id = m.id
      where m.org_id = ${org_id} and m.environment = ${environment} and m.id = any(${sql.array(chunk, 'text')})
      order by m.id, v.version`);
}

/** The mandates that these events were checked against, and those they name; ascending. */
export async function mandatesOf(db: Db, tenant: Tenant, chain_seqs: readonly number[]): Promise<string[]> {
  const { org_id, environment } = tenant;
  const ids = new Set<string>();
  for (const chunk of inChunks(chain_seqs, 10 * CHUNK)) {
    const chunk_ids = await db.anyFirst(sql.type(Id)`
      select mandate_id as id from mandate_evaluations
      where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${sql.array(chunk, 'int8')})
      union
      select mandate_id from events
      where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${sql.array(chunk, 'int8')}) and mandate_id is not null`);
    for (const id of chunk_ids) ids.add(id);
  }
  return [...ids].toSorted();
}

/** The elements of `alerts.json`. */
export async function* readAlerts(db: Db, tenant: Tenant, ids: readonly string[]): AsyncGenerator<PackAlert> {
  const { org_id, environment } = tenant;
  for (const chunk of inChunks(ids, CHUNK_OF_ALERTS)) {
    const alerts = await db.any(sql.type(Alert.omit({ incident_id: true, updated_at: true }))`
      select ${alertColumns} from alerts a
      where a.org_id = ${org_id} and a.environment = ${environment} and a.id = any(${sql.array(chunk, 'text')})
      order by a.id`);
    const evidence = await readEvidence(db, tenant, chunk);
    yield* alerts.flatMap(alert => {
      const ofAlert = evidence.get(alert.id);
      return ofAlert ? [{ ...alert, evidence: ofAlert }] : [];
    });
  }
}

/** The alerts on these events, and those in the scope; ascending. */
export async function alertsOf(
  db: Db,
  tenant: Tenant,
  chain_seqs: readonly number[],
  { alert_ids = [], case_id }: PackScope,
): Promise<string[]> {
  const { org_id, environment } = tenant;
  const ids = new Set<string>(alert_ids);
  if (case_id !== undefined) for (const id of await linkedTo(db, tenant, case_id, 'alert')) ids.add(id);
  for (const chunk of inChunks(chain_seqs, 10 * CHUNK)) {
    const chunk_ids = await db.anyFirst(sql.type(Id)`
      select distinct n.alert_id as id from events e
      -- Looked up event by event: planned as one, without statistics every pair is compared.
      cross join lateral (
        select n.alert_id from alert_events n where ${linking(tenant, sql.fragment`e.id`)} offset 0) n
      where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = any(${sql.array(chunk, 'int8')})`);
    for (const id of chunk_ids) ids.add(id);
  }
  return [...ids].toSorted();
}

/** The elements of `screenings.json`. */
export async function* readScreenings(db: Db, tenant: Tenant, ids: readonly string[]): AsyncGenerator<PackScreening> {
  const { org_id, environment } = tenant;
  for (const chunk of inChunks(ids, CHUNK))
    yield* await db.any(sql.type(Screening)`
      select ${screeningColumns} from screenings s
      where s.org_id = ${org_id} and s.environment = ${environment} and s.id = any(${sql.array(chunk, 'text')})
      order by s.id`);
}

/** The latest screening of each of these payees, and those linked to the scope's case; ascending. */
export async function screeningsOf(
  db: Db,
  tenant: Tenant,
  payee_ids: readonly string[],
  { case_id }: PackScope,
): Promise<string[]> {
  const { org_id, environment } = tenant;
  const ids = new Set<string>();
  if (case_id !== undefined) for (const id of await linkedTo(db, tenant, case_id, 'screening')) ids.add(id);
  for (const chunk of inChunks(payee_ids, 10 * CHUNK)) {
    const chunk_ids = await db.anyFirst(sql.type(Id)`
      select screening_id as id from payee_screenings
      where org_id = ${org_id} and environment = ${environment} and payee_id = any(${sql.array(chunk, 'text')})
        and screening_id is not null`);
    for (const id of chunk_ids) ids.add(id);
  }
  return [...ids].toSorted();
}

const linkedTo = (db: Db, { org_id, environment }: Tenant, case_id: string, kind: 'alert' | 'screening') =>
  db.anyFirst(sql.type(Id)`
    select target_id as id from case_links
    where org_id = ${org_id} and environment = ${environment} and case_id = ${case_id} and kind = ${kind}`);
