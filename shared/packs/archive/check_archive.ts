import { createHash, hash } from 'node:crypto';
import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { leafHash } from '#shared/events/log/leaf.ts';
import { openCheckpoint } from '#shared/ledger/checkpoint_text.ts';
import { HASH_BYTES, nodeHash, rootOfPath } from '#shared/ledger/merkle.ts';
import { createStatementReader, type ErasureStatement } from '#shared/ledger/erasure_statement.ts';
import { type LogKey, publicKeys } from '#shared/ledger/signing_keys.ts';
import { readErasures } from '#shared/ledger/verify/check_erasure.ts';
import { openTile, TILE_BYTES, TILE_HEIGHT, TILE_WIDTH } from '#shared/ledger/tiles.ts';
import type { Services } from '#shared/platform/services.ts';
import type { LogArchive } from './archives.ts';
import { readLine } from './lines.ts';
import { DamagedArchive, type OpenArchive, openArchive } from './open_archive.ts';

const ArchivedTile = z.object({ tile_index: z.int(), hashes: z.string(), path: z.array(z.string()) });
/** A line of `log/tiles.ndjson`: the leaf hashes of 256 events, and the path from their root upward; in hex. */
export type ArchivedTile = z.infer<typeof ArchivedTile>;

/**
 * Fetches an archive and computes everything in it anew: the digest of each event, its leaf, the tiles, and their way to the root that a key of
 * this deployment signed. Returns how many events it holds. Throws `DamagedArchive` at the first thing that is not as it was.
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
    const range = { from: archive.from_seq, to: archive.to_seq };
    const erasures = await readErasures(db, tenant, range, createStatementReader(tenant, keys));
    const leaves = await checkEvents(opened, archive, erasures);
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

/** Returns the leaf hashes, one after the other. */
async function checkEvents(
  opened: OpenArchive,
  archive: LogArchive,
  erasures: ReadonlyMap<number, ErasureStatement | null>,
): Promise<Buffer> {
  const leaves: Buffer[] = [];
  const digest = createHash('sha256');
  let seq = archive.from_seq;
  for await (const line of opened.lines('events.ndjson')) {
    const event = readLine(line);
    const leaf = leafHash({ seq, received_at: event.received_at, event_digest: event.event_digest });
    const erasure = erasures.get(seq);
    const isSound =
      event.chain_seq === seq &&
      erasure !== null &&
      (erasure?.event_digest ?? event.event_digest) === event.event_digest &&
      hash('sha256', event.input) === (erasure?.input_sha256 ?? event.event_digest) &&
      leaf.toString('hex') === event.leaf_hash;
    if (!isSound) throw new DamagedArchive(`Event ${seq} in ${archive.file} is not as it was stored.`);
    leaves.push(leaf);
    digest.update(leaf);
    seq += 1;
  }
  if (seq !== archive.to_seq + 1 || digest.digest('hex') !== archive.leaves_digest)
    throw new DamagedArchive(`The events in ${archive.file} are not those that it was made of.`);
  return Buffer.concat(leaves);
}

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
