import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import type { Storage } from '#shared/platform/storage/storage.ts';
import { HOUR, MINUTE, timestamp } from '#shared/values/time.ts';
import { createHandler } from '#workers/handlers/export_hour.ts';
import { endOf } from './job.ts';
import { event } from './make.ts';
import { ownerOf } from './owner.ts';
import { world } from './world.ts';

const going = new AbortController().signal;
export const path = '/v1/export-schedules/events';
export const active = { format: 'ndjson', state: 'active' };
/** When an hour is written: so long after its beginning. */
export const OVER = HOUR + 5 * MINUTE;

/** An organization made in the first of some hours, by its clock, that are past by the clock of the database. */
export async function hours(t: ExecutionContext, settings: Record<string, string> = {}) {
  const first = Math.floor(Date.now() / HOUR) * HOUR - 48 * HOUR;
  let time = first + 10 * MINUTE;
  const w = await world(t, { now: () => time, own_database: true, settings });
  const owner = await ownerOf(t, w.database);
  const { storage } = w.services;
  const { org_id, environment } = w.tenant;
  const read = async (name: string) => {
    const stored = await storage.get(name);
    return stored && buffer(stored.body);
  };
  return {
    ...w,
    first,
    owner,
    read,
    moveTo: (to: number) => (time = to),
    /** Stores events as if they had been received at these times. */
    async receive(...times: number[]) {
      for (const at of times) {
        const { body } = await w.as.post('/v1/events', event({ at: first }));
        await owner('update events set received_at = $3 where org_id = $1 and id = $2', [
          org_id,
          body.id,
          timestamp(at),
        ]);
      }
    },
    /** What a worker does with a job, on a storage that may be another. */
    work: (kind = 'events', through: Storage = storage) =>
      endOf(createHandler({ ...w.services, storage: through }, going)({ ...w.tenant, kind })),
    /** An hour in the storage: its manifest, and the lines of its parts. */
    async hour(at: number, kind = 'events') {
      const text = timestamp(at);
      const folder = `warehouse/${org_id}/${environment}/${kind}/date=${text.slice(0, 10)}/hour=${text.slice(11, 13)}`;
      const bytes = await read(`${folder}/_manifest.json`);
      if (!bytes) return null;
      const manifest = JSON.parse(bytes.toString());
      const parts: Buffer[] = [];
      for (const file of manifest.files) {
        const part = (await read(`${folder}/${file.path}`)) ?? Buffer.alloc(0);
        t.is(createHash('sha256').update(part).digest('hex'), file.sha256);
        t.is(part.length, file.size);
        parts.push(gunzipSync(part));
      }
      const lines = Buffer.concat(parts).toString().split('\n').filter(Boolean);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return { folder, bytes, manifest, lines, sha256, jws: String(await read(`${folder}/_manifest.jws`)) };
    },
    schedule: async () => (await w.as.get('/v1/export-schedules')).body.data[0],
  };
}

/** The records of an hour, and their positions in the log. */
export const recordsOf = (hour: { lines: string[] } | null) => (hour?.lines ?? []).map(line => JSON.parse(line));
export const seqsOf = (hour: { lines: string[] } | null) => recordsOf(hour).map(({ chain_seq }) => chain_seq);
