import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Checkpoint } from '#shared/ledger/checkpoints.ts';
import { stateArchived } from '#shared/ledger/archive_statement.ts';
import { createProver } from '#shared/ledger/proofs.ts';
import { currentSigningKey, publicKeys } from '#shared/ledger/signing_keys.ts';
import { TILE_HEIGHT, TILE_WIDTH } from '#shared/ledger/tiles.ts';
import { readTiles } from '#shared/ledger/tree_store.ts';
import { detachedJws } from '#shared/packs/detached_jws.ts';
import { createZip } from '#shared/packs/zip.ts';
import { findOrganization } from '#shared/people/organizations.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { timestamp } from '#shared/values/time.ts';
import { type LogArchive } from './archives.ts';
import { type ArchivedTile, checkArchive } from './check_archive.ts';
import { readLine, readLines } from './lines.ts';

export type ArchiveServices = Pick<Services, 'config' | 'db' | 'storage' | 'now'>;

/** A range of a log, both ends included: whole tiles of 256 events. */
export type Stretch = { from_seq: number; to_seq: number };

/**
 * Writes a stretch of a log to a file in the storage, with the proofs from its events to a checkpoint that covers them, then reads and
 * checks that file. `file` is its name. Changes nothing in the database. Throws `DamagedArchive` when the file read differs from what was
 * written.
 */
export async function makeArchive(
  services: ArchiveServices,
  tenant: Tenant,
  { from_seq, to_seq, file: name }: Stretch & { file: string },
  checkpoint: Checkpoint,
): Promise<LogArchive> {
  const { config, db, storage, now } = services;
  await mkdir(storage.workshop, { recursive: true, mode: 0o700 });
  const file = join(storage.workshop, `${tenant.org_id}-${basename(name)}`);
  const zip = await createZip(file, new Date(now()));
  const leaves = createHash('sha256');
  const counts = { runs: 0, evaluations: 0, evidence_values: 0, erasures: 0 };
  async function* counted(lines: AsyncIterable<string>) {
    for await (const line of lines) {
      const event = readLine(line);
      leaves.update(event.leaf_hash, 'hex');
      for (const each of ['runs', 'evaluations', 'evidence_values'] as const) counts[each] += event[each];
      yield line;
    }
  }
  try {
    const files = await db.transaction(async tx => {
      await tx.query(sql.unsafe`set transaction isolation level repeatable read, read only`);
      counts.erasures = await countErasures(tx, tenant, { from_seq, to_seq });
      return [
        await zip.add('events.ndjson', counted(readLines(tx, tenant, from_seq, to_seq))),
        await zip.add('log/tiles.ndjson', tilesOf(tx, tenant, { from_seq, to_seq }, checkpoint.size)),
        await zip.add('log/checkpoint', [checkpoint.note]),
        await zip.add('log/keys.json', [`${JSON.stringify(await publicKeys({ config, db: tx }), null, 2)}\n`]),
      ];
    });
    const leaves_digest = leaves.digest('hex');
    const [origin = ''] = checkpoint.note.split('\n');
    const manifest = {
      format: 'agent-payment-oversight-archive/1',
      organization: await findOrganization(db, tenant.org_id),
      environment: tenant.environment,
      log: { origin, from_seq, to_seq, size: checkpoint.size, root_hash: checkpoint.root_hash, leaves_digest },
      created_at: timestamp(now()),
      counts,
      files,
    };
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await zip.add('manifest.json', [bytes]);
    const key = await currentSigningKey({ config, db, now });
    await zip.add('manifest.jws', [detachedJws(key, bytes)]);
    const { size_bytes, sha256 } = await zip.finish();
    await storage.put(name, file);
    const archive: LogArchive = {
      from_seq,
      to_seq,
      file: name,
      sha256,
      size_bytes,
      leaves_digest,
      ...counts,
      checkpoint_size: checkpoint.size,
      root_hash: checkpoint.root_hash,
      statement: stateArchived(key, tenant, { from_seq, to_seq, leaves_digest, sha256 }),
    };
    await checkArchive(services, tenant, archive);
    return archive;
  } finally {
    zip.abort();
    await rm(file, { force: true });
  }
}

const Counted = z.object({ erasures: z.int() });

const countErasures = (db: Db, { org_id, environment }: Tenant, { from_seq, to_seq }: Stretch): Promise<number> =>
  db.oneFirst(sql.type(Counted)`
    select count(*) as erasures from erased_events
    where org_id = ${org_id} and environment = ${environment} and chain_seq >= ${from_seq} and chain_seq <= ${to_seq}`);

/** The lines of `log/tiles.ndjson`: the leaf hashes of 256 events each, and the path from their root to that of the checkpoint. */
async function* tilesOf(db: Db, tenant: Tenant, { from_seq, to_seq }: Stretch, size: number): AsyncGenerator<string> {
  const prover = createProver(db, tenant, size);
  for (let first = from_seq - 1; first < to_seq; first += TILE_WIDTH) {
    const tile_index = first / TILE_WIDTH;
    const [tile] = await readTiles(db, tenant, [{ level: 0, tile_index }], size);
    const path = (await prover.path(first)).slice(TILE_HEIGHT);
    const line: ArchivedTile = {
      tile_index,
      hashes: tile?.hashes.toString('hex') ?? '',
      path: path.map(hash => hash.toString('hex')),
    };
    yield `${JSON.stringify(line)}\n`;
  }
}
