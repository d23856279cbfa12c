import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { CatalogEntry, Params } from '#shared/detection/model/detector.ts';
import { Severity } from '#shared/casework/alerts.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** A tenant's settings of a detector. `params` contains only what somebody set. */
export const DetectorSetting = z.object({
  enabled: z.boolean(),
  shadow: z.boolean(),
  params: z.record(z.string(), z.unknown()),
  severity_floor: Severity,
  cooldown_s: z.number(),
  updated_at: Timestamp.nullable(),
});
export type DetectorSetting = z.infer<typeof DetectorSetting>;

/** How long after an alert was closed no similar one is raised, in seconds of wall time, unless a tenant sets it otherwise. */
export const COOLDOWN_S = 24 * 3_600;

/** The settings of a detector that a tenant has not changed. */
export const presetOf = ({
  off_by_default,
  cooldown_s = COOLDOWN_S,
}: Pick<CatalogEntry, 'off_by_default' | 'cooldown_s'>): DetectorSetting => ({
  enabled: !off_by_default,
  shadow: false,
  params: {},
  severity_floor: 'low',
  cooldown_s,
  updated_at: null,
});

/** A detector as it runs for a tenant: its effective parameters, and what happens to its findings. */
export type Active<D extends CatalogEntry> = {
  detector: D;
  params: Params;
  /** Somebody has set parameters: they apply, whatever is usual. */
  is_set: boolean;
  setting: Pick<DetectorSetting, 'shadow' | 'severity_floor' | 'cooldown_s'>;
};

export const withDefaults = <D extends CatalogEntry>(detector: D): Active<D> => activate(detector, presetOf(detector));

/** A detector with a tenant's settings. Parameters that a newer version made invalid are replaced by the defaults. */
export function activate<D extends CatalogEntry>(detector: D, setting: DetectorSetting): Active<D> {
  const { shadow, severity_floor, cooldown_s } = setting;
  return {
    detector,
    params: effectiveParams(detector, setting.params),
    is_set: Object.keys(setting.params).length > 0,
    setting: { shadow, severity_floor, cooldown_s },
  };
}

/** All parameters of a detector: those the tenant set, and defaults for the rest. */
export function effectiveParams({ params: schema }: CatalogEntry, own: Params): Params {
  const parsed = schema.safeParse(own);
  return parsed.success ? parsed.data : schema.parse({});
}

/** Those of these detectors that run for the tenant: all but the ones it turned off, and the ones that are off by default. */
export async function activeDetectors<D extends CatalogEntry>(
  db: Db,
  tenant: Tenant,
  detectors: readonly D[],
): Promise<Active<D>[]> {
  return activeAmong(detectors, await readSettings(db, tenant));
}

/** The same by settings that were read. */
export const activeAmong = <D extends CatalogEntry>(detectors: readonly D[], settings: Settings): Active<D>[] =>
  detectors
    .filter(detector => settingAmong(detector, settings).enabled)
    .map(detector => activate(detector, settingAmong(detector, settings)));

/** The setting of a detector, its preset where the tenant has set none. */
export const settingAmong = (detector: CatalogEntry, settings: Settings): DetectorSetting =>
  settings.get(detector.name) ?? presetOf(detector);

export type Settings = ReadonlyMap<string, DetectorSetting>;

const Row = DetectorSetting.extend({ detector: z.string() });

/** The tenant's settings, by detector name. */
export async function readSettings(db: Db, { org_id, environment }: Tenant): Promise<Map<string, DetectorSetting>> {
  const rows = await db.any(sql.type(Row)`
    select detector, enabled, shadow, params, severity_floor, cooldown_s, updated_at from detector_settings
    where org_id = ${org_id} and environment = ${environment}`);
  return new Map(rows.map(({ detector, ...setting }) => [detector, setting]));
}

/** Sets a detector. */
export const saveSetting = (
  tx: Db,
  { org_id, environment }: Tenant,
  detector: string,
  { enabled, shadow, params, severity_floor, cooldown_s }: Omit<DetectorSetting, 'updated_at'>,
  now: number,
) =>
  tx.query(sql.unsafe`
    insert into detector_settings (org_id, environment, detector, enabled, shadow, params, severity_floor, cooldown_s, updated_at)
    values (${org_id}, ${environment}, ${detector}, ${enabled}, ${shadow}, ${JSON.stringify(params)}::jsonb, ${severity_floor}, ${cooldown_s},
      ${timestamp(now)})
    on conflict (org_id, environment, detector) do update set
      enabled = excluded.enabled, shadow = excluded.shadow, params = excluded.params, severity_floor = excluded.severity_floor,
      cooldown_s = excluded.cooldown_s, updated_at = excluded.updated_at`);
