import type { EventDetail } from '#shared/events/log/events.ts';
import type { InclusionProof } from '#shared/ledger/log_answers.ts';
import type { LogKey } from '#shared/ledger/signing_keys.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';

/** One step of the way from an event to the checkpoint. `null`: this browser cannot do it. */
export type ProofStep = {
  name: 'erasure' | 'evidence' | 'event' | 'leaf' | 'path' | 'root' | 'signature';
  holds: boolean | null;
};

/**
 * Computes in the browser that an event is in the log: the hashes of its evidence, its digest over its RFC 8785 text, its leaf (RFC 6962 §2.1), the root that the
 * audit path leads to (RFC 9162 §2.1.3.2), that the signed note is about this root (C2SP tlog-checkpoint), and the Ed25519 signature
 * under it by one of `keys` (C2SP signed-note). Of an event that was erased, the digest it had is the one that its erasure states, signed by one
 * of `keys`. Throws where there is no WebCrypto: it needs HTTPS, or this very machine.
 */
export async function checkProof(
  event: Pick<EventDetail, 'input' | 'chain_seq' | 'received_at' | 'evidence' | 'event_digest' | 'erasure'>,
  { leaf, leaf_hash, leaf_index, tree_size, hashes, checkpoint }: InclusionProof,
  keys: readonly LogKey[],
): Promise<ProofStep[]> {
  const input_sha256 = hex(await sha256(utf8(canonicalJson(event.input))));
  const event_digest = event.erasure === null ? input_sha256 : event.event_digest;
  const expected = canonicalJson({ v: 1, seq: event.chain_seq, received_at: event.received_at, event_digest });
  const leafHash = await sha256(joined(Uint8Array.of(0), utf8(leaf)));
  const root = await rootOfPath(leaf_index, tree_size, leafHash, hashes.map(bytesOfHex));
  const [, size, base64] = checkpoint.note.split('\n');
  const isAbout = size === String(tree_size) && base64 === base64Of(bytesOfHex(checkpoint.root_hash));
  return [
    ...(event.erasure === null
      ? []
      : [{ name: 'erasure' as const, holds: await erasureHolds(event.erasure, { ...event, input_sha256 }, keys) }]),
    { name: 'evidence', holds: await evidenceHolds(event) },
    { name: 'event', holds: leaf === expected && leaf_index === event.chain_seq - 1 },
    { name: 'leaf', holds: hex(leafHash) === leaf_hash },
    { name: 'path', holds: root !== null && hex(root) === checkpoint.root_hash },
    { name: 'root', holds: isAbout },
    { name: 'signature', holds: await isSigned(checkpoint.note, keys) },
  ];
}

type Left = { event_digest: string; input_sha256: string; chain_seq: number };

/** Whether one of the keys signed that an event with this digest was erased, and that this is left of it. Null where the browser does not know Ed25519. */
async function erasureHolds(erasure: string, remains: Left, keys: readonly LogKey[]): Promise<boolean | null> {
  const [header = '', payload = '', signature = ''] = erasure.split('.');
  const stated = JSON.parse(new TextDecoder().decode(bytesOfBase64Url(payload))) as Left;
  const isOfEvent = (['event_digest', 'input_sha256', 'chain_seq'] as const).every(
    name => stated[name] === remains[name],
  );
  const signed = await isSignedBy(keys, [bytesOfBase64Url(signature)], utf8(`${header}.${payload}`));
  return signed === null ? null : signed && isOfEvent;
}

/** Whether the evidence that is shown has the hashes that the event names for it; of what was erased, only the hash is there. */
async function evidenceHolds({ input, evidence }: Pick<EventDetail, 'input' | 'evidence'>): Promise<boolean> {
  const sent = [input['evidence'] ?? []].flat() as { value: unknown }[];
  const hashes = new Set(sent.map(({ value }) => value));
  if (evidence.length !== sent.length) return false;
  for (const { value, encoding, sha256: hash } of evidence) {
    if (!hashes.has(hash)) return false;
    if (value !== null && hex(await sha256(bytesOf(value, encoding))) !== hash) return false;
  }
  return true;
}

function bytesOf(value: unknown, encoding: 'utf8' | 'base64'): Bytes {
  if (typeof value !== 'string') return utf8(canonicalJson(value));
  return encoding === 'base64' ? bytesOfBase64(value) : utf8(value);
}

/** RFC 9162 §2.1.3.2. Null where no path of this length can be one. */
async function rootOfPath(
  leaf_index: number,
  size: number,
  leaf: Bytes,
  path: readonly Bytes[],
): Promise<Bytes | null> {
  if (leaf_index < 0 || leaf_index >= size) return null;
  let [node, last, root] = [leaf_index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return null;
    if (node % 2 === 1 || node === last) {
      root = await nodeHash(sibling, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else root = await nodeHash(root, sibling);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? root : null;
}

/** Whether one of the keys signed the note. Null where the browser does not know Ed25519. */
async function isSigned(note: string, keys: readonly LogKey[]): Promise<boolean | null> {
  const end = note.lastIndexOf('\n\n');
  const text = utf8(note.slice(0, end + 1));
  const signatures = note
    .slice(end + 2)
    .split('\n')
    .flatMap(line => /^— \S+ ([A-Za-z0-9+/]+={0,2})$/.exec(line)?.[1] ?? [])
    // The first four bytes say which key it may be of.
    .map(base64 => bytesOfBase64(base64).slice(4));
  return isSignedBy(keys, signatures, text);
}

async function isSignedBy(keys: readonly LogKey[], signatures: readonly Bytes[], text: Bytes): Promise<boolean | null> {
  for (const { kty, crv, x } of keys) {
    try {
      const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
      for (const signature of signatures) if (await crypto.subtle.verify('Ed25519', key, signature, text)) return true;
    } catch {
      return null;
    }
  }
  return false;
}

type Bytes = Uint8Array<ArrayBuffer>;

const sha256 = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
const nodeHash = (left: Bytes, right: Bytes) => sha256(joined(Uint8Array.of(1), left, right));
const half = (value: number) => Math.floor(value / 2);
const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

function joined(...parts: Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const hex = (bytes: Bytes): string => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
const bytesOfHex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], pair => parseInt(pair, 16));
const base64Of = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes));
const bytesOfBase64Url = (text: string): Bytes => bytesOfBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
const bytesOfBase64 = (text: string): Bytes => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
