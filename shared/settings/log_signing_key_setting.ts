import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

const expected =
  'It must be an Ed25519 private key: PKCS #8 as PEM (from `openssl genpkey -algorithm ed25519`), or its 32 bytes as base64.';

/** The setting LOG_SIGNING_KEY. Its message never quotes it. */
export const LogSigningKeySetting = z.string().transform((text, context): KeyObject => {
  try {
    const key = text.includes('-----BEGIN') ? createPrivateKey(text) : ed25519PrivateKey(Buffer.from(text, 'base64'));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // What is wrong with it is not said: messages could quote it.
  }
  context.addIssue({ code: 'custom', message: expected });
  return z.NEVER;
});

/** An Ed25519 private key of its 32 bytes (RFC 8032). Throws where it has others. */
export function ed25519PrivateKey(seed: Buffer): KeyObject {
  if (seed.length !== 32) throw new Error('an Ed25519 private key has 32 bytes');
  return createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
}

/** RFC 8410 §7: what stands before the 32 bytes. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');
