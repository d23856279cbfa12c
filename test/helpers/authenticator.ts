import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

type Asked = { challenge: string; [member: string]: unknown };

/** What a test may get wrong on purpose. */
type Wrong = {
  origin?: string;
  rp_id?: string;
  challenge?: string;
  verified?: boolean;
  type?: string;
  counter?: number;
};

/**
 * An authenticator in software, with one P-256 key: answers challenges as a browser would pass them on (WebAuthn level 3 §5.1,
 * attestation "none"). It verifies its user and counts, unless told otherwise.
 */
export function authenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  let count = 0;

  const clientData = (type: string, asked: Asked, wrong: Wrong) =>
    Buffer.from(
      JSON.stringify({
        type: wrong.type ?? type,
        challenge: wrong.challenge ?? asked.challenge,
        origin: wrong.origin ?? origin,
        crossOrigin: false,
      }),
    );

  /** Authenticator data (§6.1): RP id hash, flags UP, UV and AT, counter. */
  function authenticatorData(wrong: Wrong, attested = Buffer.alloc(0)): Buffer {
    const flags = 0x01 | (wrong.verified === false ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(wrong.counter ?? (count += 1));
    const rp = createHash('sha256')
      .update(wrong.rp_id ?? new URL(origin).hostname)
      .digest();
    return Buffer.concat([rp, Buffer.of(flags), counter, attested]);
  }

  const common = { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} };
  return {
    /** What `navigator.credentials.create` gives. */
    create(asked: Asked, wrong: Wrong = {}) {
      const cose = cbor([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, cose]);
      const attestation = cbor([
        ['fmt', 'none'],
        ['attStmt', []],
        ['authData', authenticatorData(wrong, attested)],
      ]);
      const clientDataJSON = text(clientData('webauthn.create', asked, wrong));
      return {
        ...common,
        authenticatorAttachment: 'platform',
        response: { clientDataJSON, attestationObject: text(attestation), transports: ['internal'] },
      };
    },
    /** What `navigator.credentials.get` gives. */
    get(asked: Asked, wrong: Wrong = {}) {
      const data = clientData('webauthn.get', asked, wrong);
      const shown = authenticatorData(wrong);
      const signed = Buffer.concat([shown, createHash('sha256').update(data).digest()]);
      const response = {
        clientDataJSON: text(data),
        authenticatorData: text(shown),
        signature: text(sign('sha256', signed, privateKey)),
        userHandle: null,
      };
      return { ...common, response };
    },
  };
}

const text = (bytes: Buffer) => bytes.toString('base64url');

type Item = number | string | Buffer | [Item, Item][];

/** CBOR (RFC 8949 §3) of the few kinds that are needed here: small integers, text, bytes, and maps as lists of pairs. */
function cbor(item: Item): Buffer {
  if (typeof item === 'number') return item < 0 ? head(1, -1 - item) : head(0, item);
  if (typeof item === 'string') return Buffer.concat([head(3, Buffer.byteLength(item)), Buffer.from(item)]);
  if (Buffer.isBuffer(item)) return Buffer.concat([head(2, item.length), item]);
  return Buffer.concat([head(5, item.length), ...item.flatMap(pair => pair.map(cbor))]);
}

function head(kind: number, value: number): Buffer {
  if (value < 24) return Buffer.of((kind << 5) | value);
  return value < 256 ? Buffer.of((kind << 5) | 24, value) : Buffer.of((kind << 5) | 25, value >> 8, value & 255);
}
