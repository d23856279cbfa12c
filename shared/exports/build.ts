import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { PageRequest } from '#shared/interface/page.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { currentSigningKey } from '#shared/ledger/signing_keys.ts';
import { detachedJws } from '#shared/packs/detached_jws.ts';
import { createZip } from '#shared/packs/zip.ts';
import { findOrganization } from '#shared/people/organizations.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { timestamp } from '#shared/values/time.ts';
import { type Encoding, formats } from './encoding.ts';
import { readFilters, records, type ExportedRecords } from './kinds.ts';
import type { ClaimedExport } from '#shared/exports/store/export_claims.ts';
import { exportFile, ExportFormat, ExportKind } from '#shared/exports/store/exports.ts';

type BuildServices = Pick<Services, 'config' | 'db' | 'storage' | 'now'>;

type BuiltExport = { size_bytes: number; sha256: string; row_count: number };

/**
 * Builds the ZIP of an export and stores it. It holds the records as of one moment (one database snapshot), with one page of them in memory
 * at a time. `onProgress` is called with the progress, 0 to 1, and throws to abort the build. A failed build leaves nothing behind.
 */
export async function buildExport(
  services: BuildServices,
  tenant: Tenant,
  held: ClaimedExport,
  onProgress: (done: number) => Promise<void>,
): Promise<BuiltExport> {
  const { config, db, storage, now } = services;
  const [kind, format] = [ExportKind.parse(held.kind), ExportFormat.parse(held.format)];
  const name = exportFile(tenant, held.id, held.attempts);
  await mkdir(storage.workshop, { recursive: true, mode: 0o700 });
  await clearEarlier(storage.workshop, held.id);
  const file = join(storage.workshop, basename(name));
  const zip = await createZip(file, new Date(held.created_at));
  try {
    let row_count = 0;
    const built_at = timestamp(now());
    const written = await db.transaction(async tx => {
      await tx.query(sql.unsafe`set transaction isolation level repeatable read, read only`);
      const stream = readAll(tx, tenant, {
        held,
        filters: readFilters(kind, held.filters),
        kind: records[kind],
        onProgress,
        onRows: count => (row_count += count),
      });
      return zip.add(`${kind}.${format}`, fileOf(await formats[format].encode(records[kind].schema), stream));
    });
    const { id, from, to, filters, created_at, created_by } = held;
    const manifest = {
      format: 'agent-payment-oversight-export/1',
      export: { id, kind, format, from, to, filters, created_at, created_by },
      organization: await findOrganization(db, tenant.org_id),
      environment: tenant.environment,
      built_at,
      row_count,
      files: [written],
    };
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await zip.add('manifest.json', [bytes]);
    await zip.add('manifest.jws', [detachedJws(await currentSigningKey({ config, db, now }), bytes)]);
    const archive = await zip.finish();
    await onProgress(1);
    await storage.put(name, file);
    return { ...archive, row_count };
  } finally {
    zip.abort();
    await rm(file, { force: true });
  }
}

type Reading = {
  held: ClaimedExport;
  filters: Record<string, unknown>;
  kind: ExportedRecords;
  onProgress: (done: number) => Promise<void>;
  onRows: (count: number) => void;
};

async function* readAll(tx: Db, tenant: Tenant, { held: { from, to }, filters, kind, onProgress, onRows }: Reading) {
  const range = { ...filters, ...(from !== null && { from }), ...(to !== null && { to }) };
  const last = await lastPosition(tx, tenant, kind, range);
  let first: number | null = null;
  for (let after: string | null = null; ;) {
    const { data, next_cursor } = await kind.list(tx, tenant, range, pageAfter(after));
    if (data[0]) first ??= kind.position(data[0]);
    onRows(data.length);
    yield data;
    const latest = data.at(-1);
    if (latest && first !== null && last !== null && last !== first)
      await onProgress(Math.min(1, Math.abs((kind.position(latest) - first) / (last - first))));
    if (next_cursor === null) return;
    after = next_cursor;
  }
}

const PAGE = 200;

/** These cursors never leave the process, so they are the plain keys. */
export const pageAfter = (after: string | null): PageRequest => ({ limit: PAGE, after, cursorAfter: key => key });

/** About where the records end, to compute the progress. */
async function lastPosition(
  tx: Db,
  { org_id, environment }: Tenant,
  kind: ExportedRecords,
  { from }: { from?: string },
): Promise<number | null> {
  if (kind === records.events)
    return tx.maybeOneFirst(sql.type(z.object({ size: z.int() }))`
      select size from event_logs where org_id = ${org_id} and environment = ${environment}`);
  if (from !== undefined) return Date.parse(from);
  const created_at = await tx.maybeOneFirst(sql.type(z.object({ created_at: z.string() }))`
    select created_at from organizations where id = ${org_id}`);
  return created_at === null ? null : Date.parse(created_at);
}

async function* fileOf(encoding: Encoding, pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string | Buffer> {
  yield encoding.begin();
  for await (const page of pages) yield encoding.add(page);
  yield encoding.end();
}

/** Removes the files of earlier attempts, such as those of a killed process. */
export async function clearEarlier(workshop: string, id: string): Promise<void> {
  const begun = (await readdir(workshop)).filter(name => name.startsWith(`${id}-`));
  await Promise.all(begun.map(name => rm(join(workshop, name), { force: true })));
}
