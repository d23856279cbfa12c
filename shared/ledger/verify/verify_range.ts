import type { Tenant } from '#shared/interface/schemas.ts';
import { LogFault, TILE_WIDTH } from '#shared/ledger/tiles.ts';
import { HASH_BYTES, rootOfPath } from '#shared/ledger/merkle.ts';
import { inclusionRanges } from '#shared/ledger/ranges.ts';
import { createArchiveCheck } from '#shared/ledger/archive_statement.ts';
import { createStatementReader } from '#shared/ledger/erasure_statement.ts';
import { publicKeys } from '#shared/ledger/signing_keys.ts';
import { createSubtrees, type Subtrees } from '#shared/ledger/subtrees.ts';
import { checkArchives } from './check_archives.ts';
import { readStoredCheckpoint, signedRoot } from './check_checkpoint.ts';
import type { Flaw } from './check_events.ts';
import { checkLeaves } from './check_tiles.ts';
import { readLogState } from './log_state.ts';
import { checkPart, endOfPart, type VerifyServices } from './verify_log.ts';

/**
 * Checks the events of a range, both ends included: each by itself and against its tile, and each tile by its path to the root of the
 * newest checkpoint, whose signature must be valid. Later events are not signed yet. Returns how many events were sound, how many of these
 * on the word of their archives, how many were erased, and the first flaw.
 */
export async function verifyRange(
  { config, db }: VerifyServices,
  tenant: Tenant,
  { from_seq, to_seq }: { from_seq: number; to_seq: number },
): Promise<{ checked: number; archived: number; erased: number; flaw: Flaw | null }> {
  const state = await readLogState(db, tenant);
  const { origin, tree_size, last_checkpoint } = state;
  const checkpoint = last_checkpoint > 0 ? await readStoredCheckpoint(db, tenant, last_checkpoint) : null;
  const { keys } = await publicKeys({ config, db });
  const root = checkpoint && signedRoot(checkpoint, origin ?? '', keys);
  if (checkpoint && !root)
    return {
      checked: 0,
      archived: 0,
      erased: 0,
      flaw: {
        seq: from_seq,
        reason: `The checkpoint of ${checkpoint.size} events is not one that this deployment signed.`,
      },
    };
  const readStatement = createStatementReader(tenant, keys);
  let erased = 0;
  const resultTo = (end: number) => ({
    checked: end - from_seq + 1,
    archived: Math.max(0, Math.min(end, state.archived_seq) - from_seq + 1),
    erased,
  });
  const subtrees = createSubtrees(db, tenant, last_checkpoint);
  for (let from = from_seq, to = 0; from <= to_seq; from = to + 1) {
    to = endOfPart(state, from, to_seq);
    const { leaves, flaw, ...part } = await checkPart(db, tenant, state, { from, to }, readStatement);
    erased += part.erased;
    const unlike = await checkLeaves(db, tenant, { from, leaves, tree_size });
    const end = Math.min(unlike?.seq ?? Infinity, from + leaves.length / HASH_BYTES) - 1;
    const covered = Math.min(end, checkpoint?.size ?? 0);
    const unsigned = root && (await checkPaths(subtrees, { from, to: covered, size: last_checkpoint, root }));
    const first_flaw = unsigned ?? unlike ?? flaw;
    if (first_flaw)
      return {
        ...resultTo(Math.max(from_seq - 1, Math.min(end, (first_flaw.seq ?? from) - 1))),
        flaw: first_flaw,
      };
  }
  const range = { from: from_seq, to: to_seq };
  const flaw =
    from_seq <= state.archived_seq
      ? await checkArchives(db, tenant, state, range, createArchiveCheck(tenant, keys))
      : null;
  return { ...resultTo(to_seq), flaw };
}

type Paths = { from: number; to: number; size: number; root: Buffer };

/** Whether the tiles of these events lead to the root of a tree: the path of a tile's first leaf covers all its others. */
async function checkPaths(subtrees: Subtrees, { from, to, size, root }: Paths): Promise<Flaw | null> {
  for (let seq = from; seq <= to; seq = Math.ceil(seq / TILE_WIDTH) * TILE_WIDTH + 1) {
    const first = Math.floor((seq - 1) / TILE_WIDTH) * TILE_WIDTH;
    const reached = await reachedRoot(subtrees, first, size);
    if (!reached?.equals(root))
      return { seq, reason: `The tree does not lead from event ${seq} to the root that was signed of ${size} events.` };
  }
  return null;
}

/** Null when the tree is damaged. */
async function reachedRoot(subtrees: Subtrees, first: number, size: number): Promise<Buffer | null> {
  try {
    const [leaf, ...path] = await subtrees.rootsOf([{ from: first, to: first + 1 }, ...inclusionRanges(first, size)]);
    return leaf ? rootOfPath(first, size, leaf, path) : null;
  } catch (error) {
    if (error instanceof LogFault) return null;
    throw error;
  }
}
