import { z } from 'zod';
import { type Db, sql } from '#shared/db.ts';
import type { Tenant } from '#shared/schemas.ts';

const Setting = z.object({ detector: z.string(), enabled: z.boolean() });

/** Of these detectors those that judge for the tenant: all but what it turned off, and what is off until it is turned on. */
export async function enabledDetectors<D extends { name: string; off_by_default?: true }>(
  db: Db,
  tenant: Tenant,
  detectors: readonly D[],
): Promise<D[]> {
  const settings = await readSettings(db, tenant);
  return detectors.filter(({ name, off_by_default }) => settings.get(name) ?? !off_by_default);
}

/** The detectors that the tenant turned on or off, by name. */
export async function readSettings(db: Db, { org_id, environment }: Tenant): Promise<Map<string, boolean>> {
  const rows = await db.any(sql.type(Setting)`
    select detector, enabled from detector_settings where org_id = ${org_id} and environment = ${environment}`);
  return new Map(rows.map(({ detector, enabled }) => [detector, enabled]));
}

/** Turns a detector on or off. */
export const setDetector = (tx: Db, { org_id, environment }: Tenant, detector: string, enabled: boolean) =>
  tx.query(sql.unsafe`
    insert into detector_settings (org_id, environment, detector, enabled)
    values (${org_id}, ${environment}, ${detector}, ${enabled})
    on conflict (org_id, environment, detector) do update set enabled = excluded.enabled`);
