import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * The names of a pack's files in the storage: the ZIP, and its report for shared links. Every attempt has its own names: a worker that was
 * thought dead cannot overwrite what another has finished.
 */
export function filesOf(
  { org_id, environment }: Tenant,
  pack_id: string,
  attempt: number,
): { zip: string; report: string } {
  const name = `packs/${org_id}/${environment}/${pack_id}-${attempt}`;
  return { zip: `${name}.zip`, report: `${name}.html` };
}
