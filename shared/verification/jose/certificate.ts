import { X509Certificate } from 'node:crypto';
import type { JWK } from 'jose';
import { LRUCache } from 'lru-cache';

/** What a certificate (RFC 5280) says of its key. `path_length`: how many authorities may stand between it and a signer's certificate. */
export type Certificate = {
  x509: X509Certificate;
  jwk: JWK;
  not_before: number;
  not_after: number;
  is_authority: boolean;
  path_length: number;
  /** The bits of keyUsage, first bit first; null when it says nothing of use. */
  key_usage: boolean[] | null;
};

/** Bits of keyUsage (RFC 5280 §4.2.1.3). */
export const DIGITAL_SIGNATURE = 0;
export const SIGNS_CERTIFICATES = 5;

const MOST_CERTIFICATES = 2_000;
/** Real ones have 1 to 2 KB, and are kept by what they are. */
const LONGEST_CERTIFICATE = 16_384;
const cached_certificates = new LRUCache<string, { certificate: Certificate | null }>({ max: MOST_CERTIFICATES });

/** Reads a certificate, DER or PEM; null when it is none, or has a critical extension that is not understood here. */
export function readCertificate(bytes: Buffer | string): Certificate | null {
  if (bytes.length > LONGEST_CERTIFICATE) return null;
  const name = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  const cached = cached_certificates.get(name) ?? { certificate: parseCertificate(bytes) };
  cached_certificates.set(name, cached);
  return cached.certificate;
}

function parseCertificate(bytes: Buffer | string): Certificate | null {
  try {
    const x509 = new X509Certificate(bytes);
    const extensions = readExtensions(x509.raw);
    if (!extensions || !signatureAlgorithms.has(x509.signatureAlgorithmOid)) return null;
    return {
      x509,
      // Throws where Node does not know the kind of key.
      jwk: x509.publicKey.export({ format: 'jwk' }) as JWK,
      not_before: x509.validFromDate.getTime(),
      not_after: x509.validToDate.getTime(),
      ...extensions,
    };
  } catch {
    return null;
  }
}

/** Signatures with SHA-2, or Ed25519; SHA-1 can be forged. */
const signatureAlgorithms = new Set([
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.2.840.113549.1.1.10',
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.3.101.112',
]);

type Extensions = Pick<Certificate, 'is_authority' | 'path_length' | 'key_usage'>;

/** Node does not tell path length and key usage; they are read from the extensions, which are the last field of TBSCertificate. */
function readExtensions(der: Buffer): Extensions | null {
  const extensions: Extensions = { is_authority: false, path_length: Infinity, key_usage: null };
  const body = readElement(readElement(der)?.content ?? der)?.content;
  const field = body && readElements(body)?.find(element => element.tag === EXTENSIONS);
  if (!body || !field) return body ? extensions : null;
  const list = readElements(readElement(field.content)?.content ?? field.content);
  const ids = new Set<string>();
  for (const element of list ?? []) {
    const extension = readExtension(element.content);
    if (!extension || ids.has(extension.id)) return null;
    ids.add(extension.id);
    if (!noteExtension(extensions, extension)) return null;
  }
  return list ? extensions : null;
}

const EXTENSIONS = 0xa3;

type Extension = { id: string; critical: boolean; value: Buffer };

function readExtension(bytes: Buffer): Extension | null {
  const [id, ...rest] = readElements(bytes) ?? [];
  const value = rest.at(-1);
  const flag = rest.length === 2 ? rest[0] : undefined;
  if (id?.tag !== OBJECT_IDENTIFIER || value?.tag !== OCTET_STRING || rest.length > 2) return null;
  if (flag && flag.tag !== BOOLEAN) return null;
  return {
    id: id.content.toString('hex'),
    critical: flag !== undefined && flag.content[0] !== 0,
    value: value.content,
  };
}

const BASIC_CONSTRAINTS = '551d13';
const KEY_USAGE = '551d0f';
/** Says what else the key is for, which is no concern of a mandate's signature (RFC 5280 §4.2.1.12). */
const EXTENDED_KEY_USAGE = '551d25';

/** Takes an extension in; false when it is malformed, or critical and not understood. */
function noteExtension(extensions: Extensions, { id, critical, value }: Extension): boolean {
  if (id === KEY_USAGE) {
    const bits = readElement(value);
    if (bits?.tag !== BIT_STRING || bits.content.length < 2) return false;
    extensions.key_usage = [...bits.content.subarray(1)].flatMap(byte =>
      [7, 6, 5, 4, 3, 2, 1, 0].map(bit => ((byte >> bit) & 1) === 1),
    );
    return true;
  }
  if (id !== BASIC_CONSTRAINTS) return !critical || id === EXTENDED_KEY_USAGE;
  const sequence = readElement(value);
  const parts = sequence?.tag === SEQUENCE ? readElements(sequence.content) : null;
  if (!parts) return false;
  const length = parts.find(part => part.tag === INTEGER);
  extensions.is_authority = parts.some(part => part.tag === BOOLEAN && part.content[0] !== 0);
  if (length) extensions.path_length = length.content.length === 1 ? (length.content[0] ?? 0) : Infinity;
  return true;
}

/** An element of DER (X.690): `content` without tag and length, `rest` what follows it. */
type Element = { tag: number; content: Buffer; rest: Buffer };

/** Reads the element that `bytes` begins with; null when it is not DER with definite lengths up to 2^24. */
function readElement(bytes: Buffer): Element | null {
  const tag = bytes[0];
  const first = bytes[1];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return null;
  const extra = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || extra > 3 || bytes.length < 2 + extra) return null;
  const length = extra === 0 ? first : bytes.readUIntBE(2, extra);
  const start = 2 + extra;
  if (bytes.length < start + length) return null;
  return { tag, content: bytes.subarray(start, start + length), rest: bytes.subarray(start + length) };
}

/** The elements that `bytes` is a sequence of; null when it is not one. */
function readElements(bytes: Buffer): Element[] | null {
  const elements: Element[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const element = readElement(rest);
    if (!element) return null;
    elements.push(element);
    rest = element.rest;
  }
  return elements;
}

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;
