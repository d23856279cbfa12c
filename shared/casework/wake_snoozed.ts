import { asError } from '#shared/interface/errors.ts';
import { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import { holdIncidents } from './incident_state.ts';

/** Ends the snoozes whose time has come, so that whoever polls, or follows what changes, is told. Throws what failed last, once all were tried. */
export async function wakeSnoozed(db: Pool): Promise<void> {
  const due = await db.any(sql.type(Tenant)`
    select distinct org_id, environment from incidents where snoozed_until <= now()`);
  let failure: unknown;
  for (const tenant of due)
    await db
      .transaction(tx => wake(tx, tenant))
      .catch((error: unknown) => {
        failure = error;
      });
  if (failure !== undefined) throw asError(failure);
}

async function wake(tx: Db, tenant: Tenant): Promise<void> {
  const { org_id, environment } = tenant;
  await holdIncidents(tx, tenant);
  const { rowCount } = await tx.query(sql.unsafe`
    update incidents set snoozed_until = null
    where org_id = ${org_id} and environment = ${environment} and snoozed_until <= now()`);
  if (rowCount > 0) await moveVersions(tx, tenant, ['alerts']);
}
