import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import { firstReceived } from '#shared/events/log/event_blocks.ts';
import { settledUntil } from '#shared/interface/changes.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { currentSigningKey } from '#shared/ledger/signing_keys.ts';
import { Abandoned } from '#shared/packs/build_failed.ts';
import { detachedJws } from '#shared/packs/detached_jws.ts';
import { createCounter } from '#shared/packs/zip.ts';
import { findOrganization } from '#shared/people/organizations.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import type { Storage } from '#shared/platform/storage/storage.ts';
import { HOUR, timestamp } from '#shared/values/time.ts';
import { clearEarlier, pageAfter } from './build.ts';
import { formats } from './encoding.ts';
import { type Hour, records, type ExportedRecords } from './kinds.ts';
import { ExportFormat, ExportKind } from '#shared/exports/store/exports.ts';
import { type HeldHour, keepHour, type WrittenHour } from '#shared/exports/store/schedule_claims.ts';

type WriteServices = Pick<Services, 'config' | 'db' | 'storage' | 'now'>;

/** A part ends with the page of records that takes it to this size, before it is compressed. */
const PART_BYTES = 128 * 1_024 * 1_024;

/**
 * Writes the records of an hour to the storage: parts, with a page of records in memory at a time, then the signature, and at last the
 * manifest, with which the hour stands: whoever begins it again finds it written. Null when a change of the hour may not be visible yet.
 * `onProgress` is called between pages and throws to abort.
 */
export async function writeHour(
  services: WriteServices,
  tenant: Tenant,
  held: HeldHour,
  onProgress: () => Promise<void>,
  part_bytes = PART_BYTES,
): Promise<WrittenHour | null> {
  const { db, storage, now } = services;
  const [kind, format] = [ExportKind.parse(held.kind), ExportFormat.parse(held.format)];
  const { settles } = records[kind];
  const [from, to] = [held.hour_at, timestamp(Date.parse(held.hour_at) + HOUR)];
  if (settles && (await settledUntil(db, settles)) < to) return null;
  const log = kind === 'events' ? await positions(db, tenant, held.after_seq, { from, to }) : null;
  const folder = `${held.folder}/date=${from.slice(0, 10)}/hour=${from.slice(11, 13)}`;
  const about = {
    format: 'agent-payment-oversight-hour/1',
    organization: await findOrganization(db, tenant.org_id),
    environment: tenant.environment,
    kind,
    from,
    to,
    log,
    previous_manifest_sha256: held.manifest_sha256,
  };
  const standing = await findStanding(storage, folder, about);
  if (standing) return standing;
  /** Before anything is put where another worker may be by now. */
  const need = async () => {
    if (!(await keepHour(db, tenant, held, now()))) throw new Abandoned('it is in other hands');
  };

  const name = `hour-${tenant.org_id}-${tenant.environment}-${kind}`;
  await mkdir(storage.workshop, { recursive: true, mode: 0o700 });
  await clearEarlier(storage.workshop, name);
  const file = join(storage.workshop, `${name}-${held.claims}`);
  try {
    const reader = await openReader(db, tenant, kind, { from, to, ...(log ?? { after_seq: 0, last_seq: 0 }) });
    const files = [];
    while (!reader.isDone()) {
      const path = partName(format, files.length);
      const part = await writePart(file, reader, { kind, format, part_bytes }, onProgress);
      await need();
      await storage.put(`${folder}/${path}`, file);
      files.push({ path, ...part });
    }
    await need();
    await removeOthers(storage, folder, format, files.length);
    const row_count = files.reduce((sum, part) => sum + part.row_count, 0);
    const manifest = Buffer.from(
      `${JSON.stringify({ ...about, written_at: timestamp(now()), row_count, files }, null, 2)}\n`,
    );
    const signature = detachedJws(await currentSigningKey(services), manifest);
    for (const [name, bytes] of [
      ['_manifest.jws', signature],
      [MANIFEST, manifest],
    ] as const) {
      await writeFile(file, bytes, { flush: true, mode: 0o600 });
      await need();
      await storage.put(`${folder}/${name}`, file);
    }
    return { last_seq: log?.last_seq ?? null, manifest_sha256: hash('sha256', manifest) };
  } finally {
    await rm(file, { force: true });
  }
}

/** What reads tables from folders passes over names that begin so. */
const MANIFEST = '_manifest.json';

const partName = (format: ExportFormat, part: number) =>
  `part-${part}.${format}${formats[format].is_compressed ? '' : '.gz'}`;

const Position = z.object({ position: z.number().nullable() });

/** The part of the log that an hour has: after the last one's, up to the last event that was received before its end. */
async function positions(db: Db, tenant: Tenant, after: number | null, { from, to }: { from: string; to: string }) {
  const before = async (time: string) =>
    (await db.oneFirst(sql.type(Position)`select ${firstReceived(tenant, time)} - 1 as position`)) ?? 0;
  const after_seq = after ?? (await before(from));
  return { after_seq, last_seq: Math.max(after_seq, await before(to)) };
}

const Standing = z.object({
  organization: z.object({ id: z.string() }),
  environment: z.string(),
  kind: z.string(),
  from: z.string(),
  log: z.object({ after_seq: z.number(), last_seq: z.number() }).nullable(),
  previous_manifest_sha256: z.string().nullable(),
});

/**
 * An hour that stands already: its worker ended before it could say so. It is never written anew. Throws `HourStands` where it is not the
 * next one of this log, such as after an older copy of the database was restored.
 */
async function findStanding(storage: Storage, folder: string, about: About): Promise<WrittenHour | null> {
  const stored = await storage.get(`${folder}/${MANIFEST}`);
  if (!stored) return null;
  const bytes = await buffer(stored.body);
  const { success, data } = Standing.safeParse(JSON.parse(bytes.toString()));
  const isSame =
    success &&
    data.organization.id === about.organization?.id &&
    (['environment', 'kind', 'from', 'previous_manifest_sha256'] as const).every(name => data[name] === about[name]) &&
    data.log?.after_seq === about.log?.after_seq &&
    (data.log?.last_seq ?? 0) <= (about.log?.last_seq ?? 0);
  if (!isSame) throw new HourStands(folder);
  return { last_seq: data.log?.last_seq ?? null, manifest_sha256: hash('sha256', bytes) };
}

type About = Pick<z.infer<typeof Standing>, 'environment' | 'kind' | 'from' | 'log' | 'previous_manifest_sha256'> & {
  organization: { id: string } | null;
};

/** The storage has an hour that does not go on from the hour before. */
export class HourStands extends Error {
  constructor(folder: string) {
    super(`The storage has another export of this hour, in ${folder}. Move it away, and the hour is written.`);
  }
}

type Reader = { isDone(): boolean; take(): Promise<readonly unknown[]> };

/** Reads the records of an hour, a page at a time. */
async function openReader(db: Db, tenant: Tenant, kind: ExportKind, hour: Hour): Promise<Reader> {
  const pages = pagesOf(db, tenant, records[kind], hour);
  let next = await pages.next();
  return {
    isDone: () => next.done === true,
    async take() {
      const page = next.value ?? [];
      next = await pages.next();
      return page;
    },
  };
}

async function* pagesOf(db: Db, tenant: Tenant, kind: ExportedRecords, hour: Hour) {
  for (let after: string | null = null; ;) {
    const { data, next_cursor } = await kind.changed(db, tenant, hour, pageAfter(after));
    const own = data.filter(record => kind.isOf(record, hour));
    if (own.length > 0) yield own;
    if (next_cursor === null || own.length < data.length) return;
    after = next_cursor;
  }
}

/** Writes records to a file until they are enough for a part, or all. */
async function writePart(
  file: string,
  reader: Reader,
  { kind, format, part_bytes }: { kind: ExportKind; format: ExportFormat; part_bytes: number },
  onProgress: () => Promise<void>,
) {
  const { encode, is_compressed } = formats[format];
  const encoding = await encode(records[kind].schema);
  let row_count = 0;
  const counter = createCounter();
  async function* pieces() {
    yield encoding.begin();
    for (let size = 0; size < part_bytes && !reader.isDone();) {
      await onProgress();
      const page = await reader.take();
      row_count += page.length;
      const piece = encoding.add(page);
      size += Buffer.byteLength(piece);
      yield piece;
    }
    yield encoding.end();
  }
  await pipeline(
    pieces,
    is_compressed ? new PassThrough() : createGzip(),
    counter.stream,
    createWriteStream(file, { flush: true, mode: 0o600 }),
  );
  const { size_bytes, sha256 } = counter.total();
  return { row_count, size: size_bytes, sha256 };
}

/** Removes what an attempt that was not finished wrote beyond the parts of this one: the last first, so that none is left beyond a gap. */
async function removeOthers(storage: Storage, folder: string, format: ExportFormat, parts: number): Promise<void> {
  for (const each of ExportFormat.options) {
    const first = each === format ? parts : 0;
    let end = first;
    for (let found = true; found; end += 1) {
      const stored = await storage.get(`${folder}/${partName(each, end)}`);
      stored?.body.destroy();
      found = stored !== null;
    }
    for (let part = end - 2; part >= first; part -= 1) await storage.remove(`${folder}/${partName(each, part)}`);
  }
}
