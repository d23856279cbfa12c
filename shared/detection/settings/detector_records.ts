import { z } from 'zod';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import type { Db } from '#shared/platform/db.ts';
import type { CatalogEntry, Params } from '#shared/detection/model/detector.ts';
import { catalog, timedDetectors } from '#shared/detection/detectors/index.ts';
import { invalidRequest, orNotFound } from '#shared/interface/errors.ts';
import { validate } from '#shared/json/issues.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { Severity } from '#shared/casework/alerts.ts';
import { type Learning, Learned, learnedBy, readLearning } from './learned.ts';
import {
  activate,
  COOLDOWN_S,
  type DetectorSetting,
  effectiveParams,
  presetOf,
  readSettings,
  saveSetting,
} from './detector_settings.ts';
import { type Tenant, Timestamp, withExamples } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const MostParams = z.record(z.string(), z.unknown());

/** A detector with its settings for an organization. */
export const DetectorRecord = z
  .object({
    name: z.string(),
    about: z.string().meta({ description: 'what it looks for' }),
    kind: z
      .enum(['event', 'time'])
      .meta({ description: '`event`: it judges events as they come. `time`: it finds what does not come in time' }),
    enabled: z.boolean(),
    shadow: z.boolean(),
    params: MostParams.meta({ description: 'every parameter, as it judges by them now' }),
    defaults: MostParams.meta({ description: 'every parameter where an organization has set nothing' }),
    params_schema: MostParams.meta({ description: 'JSON Schema of `params` as PUT takes them' }),
    severity_floor: Severity,
    cooldown_s: z.int(),
    updated_at: Timestamp.nullable().meta({ description: 'null: never set' }),
    learned: Learned.nullable().meta({
      description: 'of a behavioral detector; null: it goes by rules',
    }),
  })
  .meta({ id: 'Detector' });
export type DetectorRecord = z.infer<typeof DetectorRecord>;

/** The detector's own schema checks the names of parameters. */
export const ParamsInput = MostParams.meta({
  description:
    'parameters by name; those left out have their default. Where only some are named, they count as set, even at their default; where all are, those that differ from it',
});

const LONGEST_COOLDOWN_S = 365 * 86_400;

/** All settings of a detector; an omitted one takes its default. */
export const DetectorSettings = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .meta({ description: 'whether it judges; by default true, for `unmandated_payment` false' }),
    shadow: z.boolean().default(false).meta({ description: 'record what it finds, and raise no alert' }),
    params: ParamsInput.default({}),
    severity_floor: Severity.default('low').meta({
      description: 'what is less grave raises no alert; it is recorded like the findings of a detector in shadow',
    }),
    cooldown_s: z.int().min(0).max(LONGEST_COOLDOWN_S).optional().meta({
      description:
        'how long after an alert is closed its like is not raised again, in seconds; by default a day, for `budget_threshold`, which tells of each period once, 0',
    }),
  })
  .meta({
    id: 'DetectorSettings',
    ...withExamples([
      { enabled: true, shadow: true, params: { per_minute: 30 }, severity_floor: 'medium', cooldown_s: COOLDOWN_S },
    ]),
  });
export type DetectorSettings = z.output<typeof DetectorSettings>;

/** The detector with this name. Throws `not_found`. */
export const detectorNamed = (name: string): CatalogEntry =>
  orNotFound(
    'detector',
    catalog.find(candidate => candidate.name === name),
  );

/** All detectors in catalog order, page by page. */
export async function listDetectors(db: Db, tenant: Tenant, page: PageRequest): Promise<Page<DetectorRecord>> {
  const settings = await readSettings(db, tenant);
  const start = catalog.findIndex(({ name }) => name === page.after) + 1;
  const learning = await readLearning(db, tenant);
  const rows = catalog.slice(start, start + page.limit + 1).map(detector => recordOf(detector, settings, learning));
  return pageOf(rows, page, ({ name }) => name);
}

/** One detector. Throws `not_found`. */
export async function findDetector(db: Db, tenant: Tenant, name: string): Promise<DetectorRecord> {
  return recordOf(detectorNamed(name), await readSettings(db, tenant), await readLearning(db, tenant));
}

/**
 * Sets a detector, starting with the next range. Returns the settings before and after. Throws `not_found`, and `invalid_request` for a
 * parameter that is unknown or out of bounds.
 */
export async function setDetector(
  tx: Db,
  tenant: Tenant,
  name: string,
  { enabled, cooldown_s, params, ...rest }: DetectorSettings,
  now: number,
): Promise<{ before: Settable; after: Settable; detector: DetectorRecord }> {
  const detector = detectorNamed(name);
  const preset = presetOf(detector);
  const before = (await readSettings(tx, tenant)).get(name) ?? preset;
  const after = {
    enabled: enabled ?? preset.enabled,
    ...rest,
    params: setParams(detector, params),
    cooldown_s: cooldown_s ?? preset.cooldown_s,
  };
  await saveSetting(tx, tenant, name, after, now);
  const settings = new Map([[name, { ...after, updated_at: timestamp(now) }]]);
  const record = recordOf(detector, settings, await readLearning(tx, tenant));
  return { before: settableOf(before), after, detector: record };
}

type Settable = Omit<DetectorSetting, 'updated_at'>;

const settableOf = ({ enabled, shadow, params, severity_floor, cooldown_s }: DetectorSetting): Settable => ({
  enabled,
  shadow,
  params,
  severity_floor,
  cooldown_s,
});

/** All parameters of a detector: those sent, and defaults for the rest. Throws `invalid_request`. */
export function readParams({ params: schema }: CatalogEntry, input: Params): Params {
  const checked = validate(schema, input, { pointer: '/params' });
  if (checked.ok) return checked.value;
  throw invalidRequest(checked.issues[0]?.message ?? 'The parameters are not valid.', checked.issues.slice(0, 20));
}

/**
 * The parameters that somebody set with this input; the rest follows the defaults when they change. Who sends all of them, as GET returned
 * them, does not mean to set the defaults among them; who names some does. Throws `invalid_request`.
 */
function setParams(detector: CatalogEntry, input: Params): Params {
  const defaults = effectiveParams(detector, {});
  const names_all = Object.keys(defaults).every(name => name in input);
  const isSet = ([name, value]: [string, unknown]) =>
    name in input && (!names_all || canonicalJson(value) !== canonicalJson(defaults[name]));
  return Object.fromEntries(Object.entries(readParams(detector, input)).filter(isSet));
}

function recordOf(
  detector: CatalogEntry,
  settings: ReadonlyMap<string, DetectorSetting>,
  learning: Learning,
): DetectorRecord {
  const setting = settings.get(detector.name) ?? presetOf(detector);
  return {
    name: detector.name,
    about: detector.about,
    kind: timed.has(detector.name) ? 'time' : 'event',
    ...setting,
    params: effectiveParams(detector, setting.params),
    defaults: effectiveParams(detector, {}),
    params_schema: paramsSchemas.get(detector.name) ?? {},
    learned: learnedBy(detector, activate(detector, setting).is_set, learning),
  };
}

const timed = new Set(timedDetectors.map(({ name }) => name));
const paramsSchemas = new Map(
  catalog.map(({ name, params }): [string, Record<string, unknown>] => [name, z.toJSONSchema(params, { io: 'input' })]),
);
