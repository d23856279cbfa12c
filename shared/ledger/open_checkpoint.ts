import { readCheckpointText } from './checkpoint_text.ts';
import type { Checkpoint } from './checkpoints.ts';
import { openNote } from './signed_note.ts';
import type { LogKey } from './signing_keys.ts';

/**
 * The root that a checkpoint was signed for, and the key that signed it, of the log that is called `origin`; null unless its note is signed by
 * one of these keys and says what stands beside it.
 */
export function openCheckpoint(
  { size, root_hash, note }: Pick<Checkpoint, 'size' | 'root_hash' | 'note'>,
  origin: string,
  keys: readonly LogKey[],
): { root: Buffer; kid: string } | null {
  const candidates = keys.map(({ x, kid }) => ({ name: origin, public_key: Buffer.from(x, 'base64url'), kid }));
  const opened = openNote(note, candidates);
  const stated = opened && readCheckpointText(opened.text);
  if (stated?.origin !== origin || stated.size !== size || stated.root.toString('hex') !== root_hash) return null;
  return { root: stated.root, kid: opened?.key.kid ?? '' };
}
