import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { readEvents } from '#shared/events/ranges/load.ts';
import { MOST_AT_ONCE, MOST_LOGS, type SweepOf } from './sweep_of.ts';
import { judgeSilence, nextLook, SilenceParams, silentAt } from '#shared/detection/model/silence.ts';
import { silentSource } from '#shared/detection/detectors/silent_source.ts';
import { SourceRhythm } from '#shared/detection/model/source_rhythm.ts';
import { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/**
 * Checks the sources that may have fallen silent. A silence is reported once: the source is checked again after its next event. The same
 * goes for a source without a rhythm.
 */
export const silences: SweepOf = {
  detector: silentSource,
  due: (db, now) => dueLogs(db, now),
  async sweep(tx, tenant, reach, { enabled, params: own_params }) {
    const params = SilenceParams.parse(own_params);
    const sources = await lockSources(tx, tenant, reach.now);
    const looked = sources.map(source => {
      const rhythm = { ...source.rhythm, told: false };
      const silent_at = silentAt(rhythm, params);
      const isSilent = silent_at !== null && silent_at <= reach.until;
      const isTold = isSilent && enabled && source.state !== 'disabled';
      return { ...source, rhythm, told: isTold, look_at: isTold ? null : nextLook(silent_at, reach) };
    });
    await saveLooks(tx, tenant, looked);
    const silent = looked.filter(({ told }) => told);
    return { findings: await judge(tx, tenant, silent, params), more: sources.length === MOST_AT_ONCE };
  },
};

type Looked = Omit<Source, 'rhythm'> & { rhythm: SourceRhythm; told: boolean; look_at: number | null };

async function judge(
  tx: Db,
  tenant: Tenant,
  silent: readonly Looked[],
  params: SilenceParams,
): Promise<EventFinding[]> {
  if (silent.length === 0) return [];
  const events = await readEvents(
    tx,
    tenant,
    silent.map(source => source.last_seq),
  );
  return silent.flatMap(({ name, rhythm, last_seq }) => {
    const event = events.find(({ chain_seq }) => chain_seq === last_seq);
    const finding = event && judgeSilence(event, name, rhythm, params);
    return finding ? [{ detector: silentSource.name, event, finding }] : [];
  });
}

const dueLogs = (db: Db, now: number) =>
  db.any(sql.type(Tenant)`
    select org_id, environment from source_rhythms where look_at <= ${timestamp(now)}
    group by org_id, environment order by min(look_at) limit ${MOST_LOGS}`);

const Source = z.object({
  source_id: z.string(),
  name: z.string().nullable(),
  state: z.string().nullable(),
  last_seq: z.number(),
  rhythm: SourceRhythm,
});
type Source = z.infer<typeof Source>;

const lockSources = (tx: Db, { org_id, environment }: Tenant, now: number) =>
  tx.any(sql.type(Source)`
    select r.source_id, s.name, s.state, r.last_seq, r.rhythm from source_rhythms r
    left join sources s on s.org_id = r.org_id and s.environment = r.environment and s.id = r.source_id
    where r.org_id = ${org_id} and r.environment = ${environment} and r.look_at <= ${timestamp(now)}
    order by r.look_at limit ${MOST_AT_ONCE} for update of r`);

async function saveLooks(tx: Db, { org_id, environment }: Tenant, looked: readonly Looked[]): Promise<void> {
  if (looked.length === 0) return;
  const rows = looked.map(({ source_id, told, look_at }) => [
    source_id,
    told,
    look_at === null ? null : timestamp(look_at),
  ]);
  await tx.query(sql.unsafe`
    update source_rhythms r set told = l.told, look_at = l.look_at
    from ${sql.unnest(rows, ['text', 'bool', 'timestamptz'])} as l (source_id, told, look_at)
    where r.org_id = ${org_id} and r.environment = ${environment} and r.source_id = l.source_id`);
}
