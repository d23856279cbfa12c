import type { Tenant } from '#shared/schemas.ts';

/** The names of a pack's files in the storage: the ZIP, and its report for whoever has a link. */
export function filesOf({ org_id, environment }: Tenant, pack_id: string): { zip: string; report: string } {
  const name = `packs/${org_id}/${environment}/${pack_id}`;
  return { zip: `${name}.zip`, report: `${name}.html` };
}
