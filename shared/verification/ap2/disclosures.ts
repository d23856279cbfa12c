import { hash } from 'node:crypto';
import { type Parsed, parsed, unparsed } from '#shared/values/parsed.ts';
import { decodeBase64url } from '#shared/verification/jose/base64url.ts';
import { isObject, type JsonObject, readJson } from '#shared/verification/json.ts';

/**
 * The claims of an SD-JWT with the disclosures in place. `withheld` are the objects and lists of `claims` with something withheld (or
 * decoys, which look the same).
 */
export type Disclosed = { claims: JsonObject; withheld: ReadonlySet<object>; digest: Digest };

/** base64url of the SHA-2 hash named by the SD-JWT's `_sd_alg`. */
type Digest = (text: string) => string;

/**
 * Puts disclosures in place (RFC 9901 §7.1). Refused: a disclosure that is malformed, duplicate, or without a place; a duplicate digest;
 * names that are taken or reserved; claims nested deeper than 32 levels.
 */
export function discloseClaims(signed: JsonObject, disclosures: readonly string[]): Parsed<Disclosed> {
  const { _sd_alg = 'sha-256', ...rest } = signed;
  const algorithm = typeof _sd_alg === 'string' ? hashes.get(_sd_alg) : undefined;
  if (!algorithm) return unparsed('its _sd_alg must be sha-256, sha-384 or sha-512');
  const digest: Digest = text => hash(algorithm, text, 'base64url');
  const by_digest = new Map<string, Disclosure>();
  for (const text of disclosures) {
    const disclosure = readDisclosure(text);
    if (!disclosure) return unparsed('each disclosure must be base64url of [salt, value] or [salt, name, value]');
    const name = digest(text);
    if (by_digest.has(name)) return unparsed('no disclosure may be given twice');
    by_digest.set(name, disclosure);
  }
  const work: Work = { by_digest, seen: new Set(), used: 0, withheld: new Set() };
  try {
    const claims = placeInObject(work, rest, 0);
    if (work.used < by_digest.size) return unparsed('every disclosure must belong to a digest');
    return parsed({ claims, withheld: work.withheld, digest });
  } catch (error) {
    if (error instanceof Refused) return unparsed(error.message);
    throw error;
  }
}

const hashes = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
]);

/** `name` is null for a list element. */
type Disclosure = { name: string | null; value: unknown };

type Work = {
  by_digest: ReadonlyMap<string, Disclosure>;
  seen: Set<string>;
  used: number;
  withheld: Set<object>;
};

class Refused extends Error {}

function readDisclosure(text: string): Disclosure | null {
  const bytes = decodeBase64url(text);
  const parts = bytes && readJson(bytes);
  if (!Array.isArray(parts) || typeof parts[0] !== 'string') return null;
  if (parts.length === 2) return { name: null, value: parts[1] };
  return parts.length === 3 && typeof parts[1] === 'string' ? { name: parts[1], value: parts[2] } : null;
}

const MOST_LEVELS = 32;

function place(work: Work, value: unknown, depth: number): unknown {
  if (depth > MOST_LEVELS) throw new Refused(`claims must not be nested deeper than ${MOST_LEVELS} levels`);
  if (Array.isArray(value)) return placeInList(work, value, depth);
  return isObject(value) ? placeInObject(work, value, depth) : value;
}

function placeInObject(work: Work, { _sd, ...shown }: JsonObject, depth: number): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of Object.entries(shown)) {
    if (name === '...') throw new Refused('the name "..." is reserved');
    object[name] = place(work, value, depth + 1);
  }
  if (_sd === undefined) return object;
  if (!Array.isArray(_sd)) throw new Refused('_sd must be a list of digests');
  for (const digest of _sd) {
    const disclosure = take(work, digest);
    if (!disclosure) {
      work.withheld.add(object);
      continue;
    }
    const { name } = disclosure;
    if (name === null) throw new Refused('a disclosure of a list stands for a member');
    if (reserved.has(name) || Object.hasOwn(object, name)) throw new Refused('a disclosed name is taken or reserved');
    object[name] = place(work, disclosure.value, depth + 1);
  }
  return object;
}

const reserved = new Set(['_sd', '...', '_sd_alg', '__proto__']);

function placeInList(work: Work, items: readonly unknown[], depth: number): unknown[] {
  const list: unknown[] = [];
  for (const item of items) {
    if (!isObject(item) || !('...' in item)) {
      list.push(place(work, item, depth + 1));
      continue;
    }
    if (Object.keys(item).length > 1) throw new Refused('a digest in a list must stand alone');
    const disclosure = take(work, item['...']);
    if (disclosure && disclosure.name !== null) throw new Refused('a disclosure of a member stands in a list');
    if (disclosure) list.push(place(work, disclosure.value, depth + 1));
    else work.withheld.add(list);
  }
  return list;
}

/** The disclosure of a digest, or null when it is withheld. */
function take(work: Work, digest: unknown): Disclosure | null {
  if (typeof digest !== 'string') throw new Refused('a digest must be text');
  if (work.seen.has(digest)) throw new Refused('no digest may occur twice');
  work.seen.add(digest);
  const disclosure = work.by_digest.get(digest);
  if (!disclosure) return null;
  work.used++;
  return disclosure;
}
