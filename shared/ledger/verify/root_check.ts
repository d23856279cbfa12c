import type { LogKey } from '#shared/ledger/signing_keys.ts';
import { signedRoot, type StoredCheckpoint } from './check_checkpoint.ts';
import type { Flaw } from './check_events.ts';

/** The checkpoints of a log, checked one after the other as a tree grows to their sizes. */
export type RootCheck = {
  /** The size of the next one; Infinity when there is none. */
  readonly size: number;
  /** Compares the root at that size with the signed one, and moves to the next. */
  check(root: Buffer): Promise<Flaw | null>;
};

/** Takes checkpoints in order of size, for the log called `origin` and these keys. */
export async function createRootCheck(
  checkpoints: AsyncIterator<StoredCheckpoint, undefined>,
  origin: string,
  keys: readonly LogKey[],
): Promise<RootCheck> {
  const next = async () => (await checkpoints.next()).value;
  let checkpoint = await next();
  let agreed = 0;
  return {
    get size() {
      return checkpoint?.size ?? Infinity;
    },
    async check(root) {
      if (!checkpoint) return null;
      const { size } = checkpoint;
      const signed = signedRoot(checkpoint, origin, keys);
      const seq = agreed + 1;
      if (!signed) return { seq, reason: `The checkpoint of ${size} events is not one that this deployment signed.` };
      if (!signed.equals(root))
        return {
          seq,
          reason: `The events do not lead to the root that was signed of ${size} of them: one from ${seq} on is not what it was.`,
        };
      agreed = size;
      checkpoint = await next();
      return null;
    },
  };
}
