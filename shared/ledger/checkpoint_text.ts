import { HASH_BYTES } from './merkle.ts';
import type { Checkpoint } from './checkpoints.ts';
import { openNote } from './signed_note.ts';
import type { LogKey } from './signing_keys.ts';

/** The contents of a checkpoint: the name of the log, its number of leaves, and the root over them. */
export type LogStatement = { origin: string; size: number; root: Buffer };

/** The text that is signed (C2SP tlog-checkpoint): origin, size in decimal, root in base64, one a line. */
export const checkpointText = ({ origin, size, root }: LogStatement): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/** Reads such a text; null for any other. Further lines after the third are ignored. */
export function readCheckpointText(text: string): LogStatement | null {
  const [, origin, digits = '', base64 = ''] = form.exec(text) ?? [];
  const size = Number(digits);
  const root = Buffer.from(base64, 'base64');
  const isSound = Number.isSafeInteger(size) && root.length === HASH_BYTES && root.toString('base64') === base64;
  return origin !== undefined && isSound ? { origin, size, root } : null;
}

const form = /^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]+=*)\n(?:[^\n]+\n)*$/;

/**
 * The root that a checkpoint was signed for, and the key that signed it, for the log called `origin`; null unless its note is signed by one
 * of these keys and agrees with the stored columns.
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
