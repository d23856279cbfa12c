import { createPublicKey, hash, verify } from 'node:crypto';

/** A key that signs notes: `name` has no space and no plus sign; `public_key` is the 32 bytes of an Ed25519 key. */
type NoteKey = { name: string; public_key: Uint8Array };

/** Signs a text of whole lines as a C2SP signed note. `sign` makes an Ed25519 signature of 64 bytes. */
export function signNote(text: string, key: NoteKey & { sign(bytes: Uint8Array): Uint8Array }): string {
  const signature = Buffer.concat([keyId(key), key.sign(Buffer.from(text))]).toString('base64');
  return `${text}\n— ${key.name} ${signature}\n`;
}

/** C2SP signed-note: the first 4 bytes of a SHA-256 over name, line feed, 1 for Ed25519, and public key. */
export const keyId = ({ name, public_key }: NoteKey): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), public_key]), 'buffer').subarray(0, 4);

/**
 * The text of a signed note and the first of these keys that signed it; null if the text is no signed note or none of the keys signed it.
 * Skips signatures by other keys. An invalid signature under one of these keys makes the note invalid, as C2SP requires.
 */
export function openNote<K extends NoteKey>(note: string, keys: readonly K[]): { text: string; key: K } | null {
  const end = note.lastIndexOf('\n\n');
  const lines = note.slice(end + 2).split('\n');
  if (end < 1 || lines.pop() !== '' || lines.length > MOST_SIGNATURES || !note.isWellFormed() || control.test(note))
    return null;
  const text = note.slice(0, end + 1);
  const signers: K[] = [];
  for (const line of lines) {
    const [, name, base64 = ''] = signatureLine.exec(line) ?? [];
    const bytes = Buffer.from(base64, 'base64');
    if (name === undefined || bytes.toString('base64') !== base64 || bytes.length < 5) return null;
    const key = keys.find(candidate => candidate.name === name && keyId(candidate).equals(bytes.subarray(0, 4)));
    if (!key) continue;
    if (!verify(null, Buffer.from(text), ed25519Key(key.public_key), bytes.subarray(4))) return null;
    signers.push(key);
  }
  const [key] = signers;
  return key ? { text, key } : null;
}

/** An Ed25519 public key from its 32 bytes (RFC 8037). */
export const ed25519Key = (public_key: Uint8Array) =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(public_key).toString('base64url') },
    format: 'jwk',
  });

const ED25519 = 1;
const MOST_SIGNATURES = 100;
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0009\u000b-\u001f]/;
const signatureLine = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/;
