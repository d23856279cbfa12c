import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Encrypts a secret for rest with AES-256-GCM (NIST SP 800-38D): version byte, 12-byte nonce, 16-byte tag, ciphertext.
 * `context` (the row's id) is authenticated too, so that a ciphertext cannot be moved to another row.
 */
export function seal(key: Buffer, plaintext: string, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Opens what `seal` made. Throws when the key, the context or a byte differs. */
export function open(key: Buffer, sealed: Buffer, context: string): string {
  if (sealed[0] !== VERSION) throw new Error('this secret was sealed by a version this one does not know');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 13)).setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(13, 29));
  return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString('utf8');
}

/** What `seal` made; null when it was sealed with another key, as after a SECRET_KEY was lost. */
export function tryOpen(key: Buffer, sealed: Buffer, context: string): string | null {
  try {
    return open(key, sealed, context);
  } catch {
    return null;
  }
}

const VERSION = 1;
