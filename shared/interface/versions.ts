import { z } from 'zod';
import type { FragmentSqlToken } from 'slonik';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from './schemas.ts';
import { isSpread } from '#shared/platform/spread.ts';

/** What can change under a reader, each with a counter per organization and environment. */
const topics = [
  'agents',
  'alerts',
  'audit_log',
  'backtests',
  'cases',
  'detectors',
  'erasures',
  'exports',
  'keys',
  'log_checkpoints',
  'mandates',
  'members',
  'owners',
  'packs',
  'payees',
  'saved_views',
  'screenings',
  'sources',
  'trusted_keys',
  'verdicts',
  'webhooks',
] as const;
export type Topic = (typeof topics)[number];

/**
 * What a response depends on: topics, or the log itself. `log` moves when events arrive, `analysis` when they have been analyzed
 * (`verdicts` when they are assessed again later); both are existing counters.
 */
export type VersionSource = Topic | 'log' | 'analysis';

/**
 * Moves counters in the transaction of a change, so that readers of the new counter read the new rows. Call it last and once: the rows stay
 * locked until the commit, and are locked in a fixed order.
 */
export async function moveVersions(tx: Db, tenants: Tenant | Tenant[], moved: readonly Topic[]): Promise<void> {
  const insert = versionsMove([tenants].flat(), moved);
  if (insert) await tx.query(sql.unsafe`${insert}`);
}

/** The same as part of the statement of the change; null when there is nothing to move. */
export function versionsMove(tenants: readonly Tenant[], moved: readonly Topic[]): FragmentSqlToken | null {
  const rows = tenants
    .flatMap(({ org_id, environment }) => [...new Set(moved)].map(topic => [org_id, environment, topic]))
    .toSorted((a, b) => (a.join(' ') < b.join(' ') ? -1 : 1));
  if (rows.length === 0) return null;
  return sql.fragment`
    insert into versions as v (org_id, environment, topic, version)
    select r.*, 1 from ${sql.unnest(rows, ['text', 'text', 'text'])} as r
    on conflict (org_id, environment, topic) do update set version = v.version + 1`;
}

/** The counters of an organization in an environment: the size of its log, how far that is analyzed, and its topics. */
export const Versions = z.object({ size: z.number(), seq: z.number(), counters: z.record(z.string(), z.number()) });
export type Versions = z.infer<typeof Versions>;
/** The counters of an organization without any data. */
export const noVersions: Versions = { size: 0, seq: 0, counters: {} };

/** The columns of Versions, for a query with the organization: one primary key look-up each. */
export function versionColumns(org_id: FragmentSqlToken, environment: string): FragmentSqlToken {
  const tenant = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  // In an environment other than that of the organization's creation, a log begins with its first event.
  return sql.fragment`
    coalesce((select size from event_logs where ${tenant}), 0) as size,
    coalesce((select seq from detection_cursors where ${tenant}), 0) as seq,
    coalesce((select jsonb_object_agg(topic, version) from versions where ${tenant}), '{}') as counters`;
}

/** The counters an answer depends on, as one text that changes when any of them does. */
export const versionText = ({ size, seq, counters }: Versions, sources: readonly VersionSource[]): string =>
  sources
    .map(source => `${source} ${source === 'log' ? size : source === 'analysis' ? seq : (counters[source] ?? 0)}`)
    .join(' ');

const VersionsOfOne = Versions.extend({ org_id: z.string() });

/** The counters of several organizations by id; prepared, since readers poll. A session's are read with the session. */
export async function readVersionsOf(db: Db, org_ids: string[], environment: string): Promise<Map<string, Versions>> {
  if (isSpread()) return readFromEach(db, org_ids, environment);
  const rows = await db.any(sql.prepared('read_versions_of', VersionsOfOne)`
    select t.org_id, ${versionColumns(sql.fragment`t.org_id`, environment)}
    from unnest(${sql.array(org_ids, 'text')}) as t (org_id)`);
  return new Map(rows.map(row => [row.org_id, row]));
}

/** One after the other, each from its node. */
async function readFromEach(db: Db, org_ids: string[], environment: string): Promise<Map<string, Versions>> {
  const found = new Map<string, Versions>();
  for (const org_id of org_ids) found.set(org_id, await readOne(db, { org_id, environment }));
  return found;
}

const readOne = (db: Db, { org_id, environment }: Tenant): Promise<Versions> =>
  db.one(sql.prepared('read_versions', Versions)`select ${versionColumns(sql.fragment`${org_id}`, environment)}`);

/** Reads those counters of one, where a transaction asks. */
export const readVersions = async (db: Db, tenant: Tenant, sources: readonly VersionSource[]): Promise<string> =>
  versionText(await readOne(db, tenant), sources);
