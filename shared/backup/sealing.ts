import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { DamagedBackup } from './damaged.ts';

/** The beginning of a sealed file; followed by the salt, 16 bytes. */
export const SEALED = Buffer.from('agent-payment-oversight-sealed/1\n');
/** Bytes before the first frame. */
export const SEALED_HEAD = SEALED.length + 16;

/**
 * Encrypts a stream under a passphrase: scrypt (RFC 7914) derives the key, and frames of 64 KB are sealed in sequence with AES-256-GCM
 * (NIST SP 800-38D). A frame's nonce is its number and whether it is the last (STREAM, Hoang et al. 2015), so that none can be dropped,
 * moved or cut off. Memory is bounded.
 */
export async function createSealing(passphrase: string): Promise<Transform> {
  const salt = randomBytes(16);
  return sealUnder(await keyOf(passphrase, salt), Buffer.concat([SEALED, salt]));
}

/** The same under a key that is used for nothing else. */
export function sealUnder(key: Buffer, head: Buffer): Transform {
  return framed(head, FRAME, (frame, nonce) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(head);
    return Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()]);
  });
}

/** Decrypts the output of `createSealing`, after its head. The stream fails if the passphrase or a byte differs. */
export async function createOpening(passphrase: string, head: Buffer): Promise<Transform> {
  return openUnder(await keyOf(passphrase, head.subarray(SEALED.length)), head);
}

/** The same under the key. */
export function openUnder(key: Buffer, head: Buffer): Transform {
  return framed(Buffer.alloc(0), FRAME + TAG, (frame, nonce) => {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG }).setAAD(head);
      decipher.setAuthTag(frame.subarray(-TAG));
      return Buffer.concat([decipher.update(frame.subarray(0, -TAG)), decipher.final()]);
    } catch {
      throw new DamagedBackup(
        nonce.readUInt32BE(7) === 0
          ? 'The backup does not open with this passphrase. If it is the right one, the file is damaged.'
          : 'The backup is damaged, or was cut off: what was sealed does not open.',
      );
    }
  });
}

const FRAME = 65_536;
const TAG = 16;

/** 32 MB of memory and about a tenth of a second: what OWASP recommends for passwords. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 };

function keyOf(passphrase: string, salt: Buffer): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(passphrase.normalize('NFC'), salt, 32, COST, (error, key) => (error ? reject(error) : resolve(key)));
  return promise;
}

/** Cuts a stream into frames of a size, the last of which may be shorter, and transforms each. */
function framed(head: Buffer, size: number, change: (frame: Buffer, nonce: Buffer) => Buffer): Transform {
  let waiting: Buffer[] = [head.subarray(0, 0)];
  let length = 0;
  let number = 0;
  const pass = (stream: Transform, frame: Buffer, isLast: boolean) => {
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(number, 7);
    nonce[11] = isLast ? 1 : 0;
    number += 1;
    // 256 TB; the number must not repeat.
    if (number > 0xff_ff_ff_ff) throw new Error('a sealed file has at most 2^32 frames');
    stream.push(change(frame, nonce));
  };
  const attempt = (done: TransformCallback, work: () => void) => {
    try {
      work();
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)));
    }
    done();
  };
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      waiting.push(chunk);
      length += chunk.length;
      // One frame is always held back: only the end shows which one is the last.
      if (length <= size) return done();
      attempt(done, () => {
        let all = Buffer.concat(waiting);
        for (; all.length > size; all = all.subarray(size)) pass(this, all.subarray(0, size), false);
        waiting = [all];
        length = all.length;
      });
    },
    flush(done) {
      attempt(done, () => pass(this, Buffer.concat(waiting), true));
    },
  });
  if (head.length > 0) stream.push(head);
  return stream;
}
