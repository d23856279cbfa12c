import { HASH_BYTES } from './merkle.ts';
import type { Checkpoint } from './checkpoints.ts';
import { openNote } from './signed_note.ts';
import type { LogKey } from './signing_keys.ts';

/** What a checkpoint says: that the log of this name has so many leaves, and this root over them. */
export type LogStatement = { origin: string; size: number; root: Buffer };

/** The text that is signed (C2SP tlog-checkpoint): origin, size in decimal, root in base64, one a line. */
export const checkpointText = ({ origin, size, root }: LogStatement): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/** Reads such a text; null for any other. Lines that others may add after the third are passed over. */
export function readCheckpointText(text: string): LogStatement | null {
  const [, origin, digits = '', base64 = ''] = form.exec(text) ?? [];
  const size = Number(digits);
  const root = Buffer.from(base64, 'base64');
  const isSound = Number.isSafeInteger(size) && root.length === HASH_BYTES && root.toString('base64') === base64;
  return origin !== undefined && isSound ? { origin, size, root } : null;
}

const form = /^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]+=*)\n(?:[^\n]+\n)*$/;

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
