import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SecretKeys } from '#shared/settings/secret_key_setting.ts';

export type { SecretKeys };

/**
 * Encrypts a secret for rest with AES-256-GCM (NIST SP 800-38D), under the newest key: version byte, 12-byte nonce, 16-byte tag, ciphertext.
 * `context` (the row's id) is authenticated too, so that a ciphertext cannot be moved to another row.
 */
export function seal([key]: SecretKeys, plaintext: string, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Opens what `seal` made under any of the keys. Throws if no key fits, or the context or a byte differs. */
export function open(keys: SecretKeys, sealed: Buffer, context: string): string {
  const text = tryOpen(keys, sealed, context);
  if (text === null)
    throw new Error('This secret was sealed with another SECRET_KEY, or is not the one it was stored as.');
  return text;
}

/** The text that `seal` encrypted; null when it was sealed with another key, such as a lost SECRET_KEY. */
export function tryOpen(keys: readonly Buffer[], sealed: Buffer, context: string): string | null {
  if (sealed[0] !== VERSION) return null;
  for (const key of keys) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 13)).setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(13, 29));
      return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString('utf8');
    } catch {
      // Another key may open it.
    }
  }
  return null;
}

/** A key of 32 bytes for one purpose (HKDF, RFC 5869), which reveals nothing about the original key. */
export const derive = (key: Buffer, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));

const VERSION = 1;
