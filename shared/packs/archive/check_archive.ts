import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { openCheckpoint } from '#shared/ledger/checkpoint_text.ts';
import { HASH_BYTES, nodeHash, rootOfPath } from '#shared/ledger/merkle.ts';
import { createArchiveCheck } from '#shared/ledger/archive_statement.ts';
import { createStatementReader, type StatementReader } from '#shared/ledger/erasure_statement.ts';
import { type LogKey, publicKeys } from '#shared/ledger/signing_keys.ts';
import { checkEventsIn } from '#shared/ledger/verify/check_events.ts';
import { openTile, TILE_BYTES, TILE_HEIGHT, TILE_WIDTH } from '#shared/ledger/tiles.ts';
import type { Db } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import type { LogArchive } from './archives.ts';
import { checkManifest } from './check_manifest.ts';
import { withLines } from './lines.ts';
import { DamagedArchive, type OpenArchive, openArchive } from './open_archive.ts';

const ArchivedTile = z.object({ tile_index: z.int(), hashes: z.string(), path: z.array(z.string()) });
/** A line of `log/tiles.ndjson`: the leaf hashes of 256 events, and the path from their root upward; in hex. */
export type ArchivedTile = z.infer<typeof ArchivedTile>;

/**
 * Fetches an archive and computes everything in it anew, as `log verify` does with events in the database: each event with its columns and evidence, its leaf, the
 * tiles, their way to the root that a key of this deployment signed, and the signed manifest. Returns how many events it holds. Throws `DamagedArchive` at the first thing that is not as it was.
 */
export async function checkArchive(
  { config, db, storage }: Pick<Services, 'config' | 'db' | 'storage'>,
  tenant: Tenant,
  archive: LogArchive,
): Promise<number> {
  const opened = await openArchive(storage, archive);
  try {
    const { keys } = await publicKeys({ config, db });
    const root = await signedRoot(keys, opened, archive);
    if (!createArchiveCheck(tenant, keys)(archive))
      throw new DamagedArchive(`What is stated of ${archive.file} is not signed by this deployment.`);
    await checkManifest(opened, tenant, archive, keys);
    const leaves = await checkLines(opened, archive, { db, tenant, read: createStatementReader(tenant, keys) });
    await checkTiles(opened, { archive, leaves, root });
    return archive.to_seq - archive.from_seq + 1;
  } finally {
    await opened.close();
  }
}

async function signedRoot(
  keys: readonly LogKey[],
  opened: OpenArchive,
  { file, checkpoint_size: size, root_hash }: LogArchive,
): Promise<Buffer> {
  const note = (await opened.bytes('log/checkpoint')).toString();
  const [origin = ''] = note.split('\n');
  const statement = openCheckpoint({ size, root_hash, note }, origin, keys);
  if (!statement) throw new DamagedArchive(`The checkpoint in ${file} is not one that this deployment signed.`);
  return statement.root;
}

type Checking = { db: Db; tenant: Tenant; read: StatementReader };

/** Returns the concatenated leaf hashes. */
async function checkLines(
  opened: OpenArchive,
  { file, from_seq, to_seq, leaves_digest }: LogArchive,
  { db, tenant, read }: Checking,
): Promise<Buffer> {
  const leaves: Buffer[] = [];
  let from = from_seq;
  for await (const lines of portionsOf(opened.lines('events.ndjson'))) {
    const to = from + lines.length - 1;
    const checked = await checkEventsIn(withLines(db, tenant, lines), tenant, { from, to }, read);
    if (checked.flaw) throw new DamagedArchive(`In ${file}: ${checked.flaw.reason}`);
    leaves.push(checked.leaves);
    from = to + 1;
  }
  const all = Buffer.concat(leaves);
  if (from !== to_seq + 1 || hash('sha256', all) !== leaves_digest)
    throw new DamagedArchive(`The events in ${file} are not those that it was made of.`);
  return all;
}

/** Lines in portions of up to 1 MB, or one longer line. */
async function* portionsOf(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let portion: string[] = [];
  let length = 0;
  for await (const line of lines) {
    if (portion.length > 0 && length + line.length > MOST_LENGTH) {
      yield portion;
      [portion, length] = [[], 0];
    }
    portion.push(line);
    length += line.length;
  }
  if (portion.length > 0) yield portion;
}

const MOST_LENGTH = 1_024 ** 2;

type Tiles = { archive: LogArchive; leaves: Buffer; root: Buffer };

async function checkTiles(opened: OpenArchive, { archive, leaves, root }: Tiles): Promise<void> {
  const wide = Math.floor((archive.checkpoint_size - 1) / TILE_WIDTH) + 1;
  let at = 0;
  for await (const line of opened.lines('log/tiles.ndjson')) {
    const { tile_index, hashes, path } = ArchivedTile.parse(JSON.parse(line));
    const tile = Buffer.from(hashes, 'hex');
    const isOfEvents =
      tile.length === TILE_BYTES &&
      tile_index === (archive.from_seq - 1 + at / HASH_BYTES) / TILE_WIDTH &&
      tile.equals(leaves.subarray(at, at + TILE_BYTES));
    const reached = isOfEvents && rootOfPath(tile_index, wide, rootOf(tile), path.map(fromHex));
    if (!reached || !reached.equals(root))
      throw new DamagedArchive(`Tile ${tile_index} in ${archive.file} does not lead to the root that was signed.`);
    at += TILE_BYTES;
  }
  if (at !== leaves.length) throw new DamagedArchive(`The tiles in ${archive.file} are not those of its events.`);
}

const fromHex = (text: string) => Buffer.from(text, 'hex');

function rootOf(tile: Buffer): Buffer {
  const { node } = openTile(tile);
  return nodeHash(node(TILE_HEIGHT - 1, 0), node(TILE_HEIGHT - 1, 1));
}
