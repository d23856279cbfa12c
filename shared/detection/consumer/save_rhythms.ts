import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { addArrival, beginRhythm, SourceRhythm } from '#shared/detection/model/source_rhythm.ts';
import { nextLook, type SilenceParams, silentAt } from '#shared/detection/model/silence.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/**
 * Adds a range to the rhythms of its sources, one row each. A source that was to be left alone until its next event is checked again by when it will
 * have been silent too long, unless it is not regular. The caller holds the log's cursor, so no other process does this.
 */
export async function saveRhythms(
  tx: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  params: SilenceParams,
  now: number,
): Promise<void> {
  const bySource = Map.groupBy(events, event => event.source_id);
  const stored_rhythms = await loadRhythms(tx, { org_id, environment }, [...bySource.keys()]);
  const rows = [...bySource].flatMap(([source_id, list]) => {
    const last = list.at(-1);
    if (!last) return [];
    const rhythm = stored_rhythms.get(source_id) ?? beginRhythm(list[0]?.received_at ?? last.received_at);
    for (const { received_at } of list) addArrival(rhythm, received_at);
    const { told, ...stored } = rhythm;
    const look_at = nextLook(silentAt(rhythm, params), { until: -Infinity, now });
    return [[source_id, last.chain_seq, JSON.stringify(stored), told, look_at === null ? null : timestamp(look_at)]];
  });
  await tx.query(sql.unsafe`
    insert into source_rhythms as s (org_id, environment, source_id, last_seq, rhythm, told, look_at)
    select ${org_id}, ${environment}, r.source_id, r.last_seq, r.rhythm::jsonb, r.told, r.look_at
    from ${sql.unnest(rows, ['text', 'int8', 'text', 'bool', 'timestamptz'])} as r (source_id, last_seq, rhythm, told, look_at)
    on conflict (org_id, environment, source_id) do update set
      last_seq = excluded.last_seq, rhythm = excluded.rhythm, told = excluded.told,
      look_at = coalesce(s.look_at, excluded.look_at)`);
}

const Row = z.object({ source_id: z.string(), rhythm: SourceRhythm, told: z.boolean() });

async function loadRhythms(
  tx: Db,
  { org_id, environment }: Tenant,
  source_ids: string[],
): Promise<Map<string, SourceRhythm>> {
  const rows = await tx.any(sql.type(Row)`
    select source_id, rhythm, told from source_rhythms
    where org_id = ${org_id} and environment = ${environment} and source_id = any(${sql.array(source_ids, 'text')})`);
  return new Map(rows.map(({ source_id, rhythm, told }) => [source_id, { ...rhythm, told }]));
}
