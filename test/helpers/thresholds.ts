import { detectors } from '#shared/detection/detectors/index.ts';
import { effectiveParams, presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Db } from '#shared/platform/db.ts';

/**
 * Sets the parameters of every detector that judges by rarity to the numbers of the contract: so it keeps to them, whatever is usual for the
 * agent. For tests that are about what becomes of alerts, and need payments that raise one.
 */
export async function setThresholds(db: Db, tenant: Tenant): Promise<void> {
  for (const detector of detectors.filter(({ behavioral }) => behavioral)) {
    const params = effectiveParams(detector, {});
    await saveSetting(db, tenant, detector.name, { ...presetOf(detector), params }, Date.now());
  }
}
