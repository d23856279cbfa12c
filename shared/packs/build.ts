import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { checkpointAt, type Checkpoint } from '#shared/ledger/checkpoints.ts';
import { openCheckpoint } from '#shared/ledger/checkpoint_text.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { currentSigningKey, publicKeys, type SigningKey } from '#shared/ledger/signing_keys.ts';
import { archivedOfAlerts } from '#shared/packs/archive/archives.ts';
import { withArchived } from '#shared/packs/archive/with_archived.ts';
import { BuildFailed } from './build_failed.ts';
import { detachedJws } from './detached_jws.ts';
import { alertsOf } from '#shared/packs/contents/records.ts';
import { type Counts, writeContents } from '#shared/packs/contents/write.ts';
import { filesOf } from './files_of.ts';
import type { PackHeader } from './pack_files.ts';
import { readProofs } from './proofs.ts';
import { reportHtml } from '#shared/packs/report/html.ts';
import { reportPdf } from '#shared/packs/report/pdf.ts';
import { createTally } from '#shared/packs/report/tally.ts';
import { verifier } from './verifier.ts';
import { createZip, type ZipWriter, type ZippedFile } from './zip.ts';
import { findOrganization } from '#shared/people/organizations.ts';
import { type ClaimedPack, fixCheckpoint } from '#shared/packs/store/pack_claims.ts';
import { selectedEvents } from '#shared/packs/store/pack_scope.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';

export type BuildServices = Pick<Services, 'config' | 'db' | 'storage' | 'metrics' | 'log' | 'now'>;

/** Gets the progress, from 0 to 1, about once a chunk; throws to end the build. */
export type OnProgress = (done: number) => Promise<void>;

/**
 * Builds the ZIP of a pack and stores it with its report; returns its size and SHA-256. Its contents are of one moment (one snapshot of the
 * database), except the events, which were chosen at the request, and the checkpoint, which stays as first chosen: an unchanged database
 * gives the same bytes. A failure leaves nothing behind.
 */
export async function buildPack(
  services: BuildServices,
  tenant: Tenant,
  held: ClaimedPack,
  onProgress: OnProgress,
): Promise<{ size_bytes: number; sha256: string }> {
  const { storage } = services;
  const checkpoint = await checkpointOf(services, tenant, held);
  const header = await headerOf(services, tenant, held, checkpoint);
  await mkdir(storage.workshop, { recursive: true, mode: 0o700 });
  await clearEarlier(storage.workshop, held);
  const names = filesOf(tenant, held.id, held.attempts);
  const [file, page] = [names.zip, names.report].map(name => join(storage.workshop, basename(name))) as [
    string,
    string,
  ];
  const zip = await createZip(file, new Date(held.created_at));
  try {
    const report = await writeFiles(services, tenant, held, { zip, header, checkpoint, onProgress });
    const archive = await zip.finish();
    await writeFile(page, report, { flush: true, mode: 0o600 });
    await onProgress(1);
    await storage.put(names.report, page);
    await storage.put(names.zip, file);
    return archive;
  } finally {
    zip.abort();
    for (const path of [file, page]) await rm(path, { force: true });
  }
}

/** The checkpoint of the proofs: the one chosen before, or the newest, which covers every event at the time of the request. */
async function checkpointOf(services: BuildServices, tenant: Tenant, held: ClaimedPack): Promise<Checkpoint> {
  const { db } = services;
  const chosen = held.checkpoint_size ?? (await chooseCheckpoint(services, tenant, held));
  const checkpoint = chosen === null ? null : await checkpointAt(db, tenant, chosen);
  const { keys } = await publicKeys(services);
  const [origin = ''] = checkpoint?.note.split('\n') ?? [];
  if (checkpoint && openCheckpoint(checkpoint, origin, keys)) return checkpoint;
  throw new BuildFailed(
    'The log does not match what was signed, so nothing can be proven from it. Ask your operator to verify it (admin log verify).',
  );
}

async function chooseCheckpoint(services: BuildServices, tenant: Tenant, held: ClaimedPack): Promise<number | null> {
  const newest = await publishCheckpoint(services, tenant, { at_least: held.log_size });
  return newest && fixCheckpoint(services.db, tenant, held, newest.size);
}

const Analyzed = z.object({ seq: z.int() });

async function headerOf(
  { db }: BuildServices,
  tenant: Tenant,
  { id, kind, title, scope, redact, created_at, created_by }: ClaimedPack,
  { note, size, root_hash }: Checkpoint,
): Promise<PackHeader> {
  const organization = await findOrganization(db, tenant.org_id);
  if (!organization) throw new Error('the organization of a pack is gone');
  const [origin = ''] = note.split('\n');
  const analyzed_seq = await db.maybeOneFirst(sql.type(Analyzed)`
    select seq from detection_cursors where org_id = ${tenant.org_id} and environment = ${tenant.environment}`);
  return {
    pack: { id, kind, title, scope, redact, created_at, created_by },
    organization,
    environment: tenant.environment,
    log: { origin, size, root_hash, analyzed_seq: analyzed_seq ?? 0 },
  };
}

/** Removes files of earlier attempts, perhaps of a killed process. */
async function clearEarlier(workshop: string, { id, attempts }: ClaimedPack): Promise<void> {
  const isEarlier = (name: string) =>
    name.startsWith(`${id}-`) && Number.parseInt(name.slice(id.length + 1), 10) < attempts;
  const begun = (await readdir(workshop)).filter(isEarlier);
  await Promise.all(begun.map(name => rm(join(workshop, name), { force: true })));
}

type Writing = { zip: ZipWriter; header: PackHeader; checkpoint: Checkpoint; onProgress: OnProgress };

/** Writes every file of the pack; returns the report as HTML. */
async function writeFiles(
  { config, db, storage, now }: BuildServices,
  tenant: Tenant,
  held: ClaimedPack,
  { zip, header, checkpoint, onProgress }: Writing,
): Promise<string> {
  const tally = createTally(header);
  const files: ZippedFile[] = [];
  const add = async (path: string, pieces: Parameters<ZipWriter['add']>[1]) => {
    files.push(await zip.add(path, pieces));
  };
  const chain_seqs = await selectedEvents(db, tenant, held.id);
  const write = async (tx: Db) => {
    const written = await writeContents(tx, tenant, { held, chain_seqs, add, tally, onProgress });
    await add('log/checkpoint', [checkpoint.note]);
    await add('log/proofs.jsonl', readProofs(tx, tenant, checkpoint, chain_seqs));
    return written;
  };
  const tick = () => onProgress(0);
  const counts = await withArchived(
    { db, storage },
    tenant,
    chain_seqs,
    async tx => {
      // An alert's text counts events that the pack may not contain.
      const own = new Set(chain_seqs);
      const others = await archivedOfAlerts(tx, tenant, await alertsOf(tx, tenant, chain_seqs, held.scope));
      return withArchived(
        { db: tx, storage },
        tenant,
        others.filter(seq => !own.has(seq)),
        write,
        { tick },
      );
    },
    { begin: sql.fragment`set transaction isolation level repeatable read`, tick },
  );
  const key = await currentSigningKey({ config, db, now });
  await add('log/keys.json', [`${JSON.stringify(await publicKeys({ config, db }), null, 2)}\n`]);
  await onProgress(0.9);
  const report = tally.report();
  const html = reportHtml(report);
  await add('report.html', [html]);
  await add('report.pdf', [await reportPdf(report)]);
  await add('verify.mjs', [verifier.bytes]);
  await writeManifest(zip, { header, counts, files, key });
  return html;
}

type Manifest = { header: PackHeader; counts: Counts; files: readonly ZippedFile[]; key: SigningKey };

/** Ends a pack with its manifest, which lists every file before it, and the manifest's signature. */
async function writeManifest(zip: ZipWriter, { header, counts, files, key }: Manifest): Promise<void> {
  const manifest = Buffer.from(`${JSON.stringify({ format: FORMAT, ...header, counts, files }, null, 2)}\n`);
  await zip.add('manifest.json', [manifest]);
  await zip.add('manifest.jws', [detachedJws(key, manifest)]);
}

const FORMAT = 'agent-payment-oversight-pack/1';
