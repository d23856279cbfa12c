import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { MOST_STRAYS } from '#shared/detection/model/late.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { sweep } from '#shared/detection/sweeps/sweep.ts';
import { settlementMissing } from '#shared/detection/detectors/settlement_missing.ts';
import { presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND } from '#shared/values/time.ts';

/** The demo's day takes seconds, and so does what is a quarter of an hour in it: how long a settlement over x402 is waited for, in seconds. */
export const WAIT_S = 3;

/** Sets the detector of missing settlements to the pace of the demo. */
export const shortenWait = async (db: Db, tenant: Tenant, now: number): Promise<void> =>
  void (await saveSetting(
    db,
    tenant,
    settlementMissing.name,
    { ...presetOf(settlementMissing), params: { x402_s: WAIT_S } },
    now,
  ));

/** Waits until nothing is left that is to be judged once more because of what came late, or of what did not come. */
export async function untilSettled(services: Services, within: number): Promise<void> {
  const started = performance.now();
  while ((await isUnsettled(services.db)) && performance.now() - started < within) {
    // The schedule would do so too, every few seconds.
    await sweep(services);
    await sleep(SECOND / 10);
  }
}

const isUnsettled = (db: Db): Promise<boolean> =>
  db.oneFirst(sql.type(z.object({ any: z.boolean() }))`
    select exists (select from rechecks) or exists (select from reevaluations)
      or exists (select from backfills where pass is not null or events > ${MOST_STRAYS})
      or exists (select from payee_screenings where due_at is not null) or exists (select from screening_rescreens) or exists (
      select from events e
      left join sweep_cursors c on c.org_id = e.org_id and c.environment = e.environment and c.kind = 'settlement_missing:x402'
      where e.status = 'authorized' and e.rail = 'x402' and e.chain_seq > coalesce(c.seq, 0)) as any`);
