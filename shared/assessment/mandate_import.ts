import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { keepVersion } from '#shared/mandates/store/mandate_changes.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import type { OpenMandate } from '#shared/verification/verifier.ts';

type ImportedMandate = {
  agent_id: string;
  owner_id: string;
  open_mandate: OpenMandate;
  /** In our terms; types we do not know stay as they were signed. */
  constraints: ({ type: string } & Record<string, unknown>)[];
  signed_constraints: unknown[];
};

/**
 * Stores an AP2 open mandate, identified by its hash, as a mandate and returns its id. The caller holds the log's cursor, and moves the counter of mandates.
 * It begins with what it was signed for and not with the signature: the clocks of signers differ, and verification has judged them.
 */
export async function importMandate(
  tx: Db,
  tenant: Tenant,
  { agent_id, owner_id, open_mandate, constraints, signed_constraints }: ImportedMandate,
  now: number,
): Promise<string> {
  const { org_id, environment } = tenant;
  const { hash, name, valid_until } = open_mandate;
  const id = newId('mnd', now);
  await tx.query(sql.unsafe`
    insert into mandates (org_id, environment, id, agent_id, owner_id, name, state, version, valid_until, human_presence, constraints,
      signed_constraints, external_ref, source, created_at)
    values (${org_id}, ${environment}, ${id}, ${agent_id}, ${owner_id}, ${name}, 'active', 1,
      ${valid_until === null ? null : timestamp(valid_until)}, 'not_required', ${JSON.stringify(constraints)}::jsonb,
      ${JSON.stringify(signed_constraints)}::jsonb, ${hash}, 'ap2', ${timestamp(now)})`);
  await keepVersion(tx, tenant, id, null, now);
  return id;
}

/** The constraints of imported mandates as they were signed, as far as they were disclosed, by id. */
export async function signedConstraints(db: Db, { org_id, environment }: Tenant, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, z.infer<typeof SignedRow>['signed']>();
  const rows = await db.any(sql.type(SignedRow)`
    select id, coalesce(signed_constraints, '[]') as signed from mandates
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...ids], 'text')})`);
  return new Map(rows.map(({ id, signed }) => [id, signed]));
}

/** Stores newly disclosed constraints of an imported mandate, and its name by them, as a new version; returns its number. */
export async function extendImported(
  tx: Db,
  tenant: Tenant,
  id: string,
  {
    name,
    constraints,
    signed_constraints,
  }: Omit<ImportedMandate, 'agent_id' | 'owner_id' | 'open_mandate'> & { name: string },
  now: number,
): Promise<number> {
  const { org_id, environment } = tenant;
  const version = await tx.oneFirst(sql.type(z.object({ version: z.number() }))`
    update mandates set version = version + 1, name = ${name}, constraints = ${JSON.stringify(constraints)}::jsonb,
      signed_constraints = ${JSON.stringify(signed_constraints)}::jsonb
    where org_id = ${org_id} and environment = ${environment} and id = ${id}
    returning version`);
  await keepVersion(tx, tenant, id, null, now);
  return version;
}

const SignedRow = z.object({ id: z.string(), signed: z.array(z.record(z.string(), z.unknown())) });
