import { randomFillSync } from 'node:crypto';
import { encodeTime, monotonicFactory } from 'ulid';
import { z } from 'zod';
import { prefixedUlid } from './prefixed_ulid.ts';

/** The prefix of every kind of id: `evt_` for events, `alr_` for alerts and so on, each followed by a ULID. */
export const idPrefixes = {
  event: 'evt',
  agent: 'agt',
  owner: 'own',
  payee: 'pye',
  source: 'src',
  unread_webhook: 'unr',
  evidence: 'evd',
  verification_run: 'vrf',
  recheck: 'rck',
  alert: 'alr',
  incident: 'inc',
  action: 'act',
  lesson: 'lsn',
  shadow_finding: 'shf',
  backtest: 'bkt',
  case: 'cas',
  screening: 'scr',
  screening_match: 'mtc',
  pack: 'pck',
  pack_share: 'shr',
  export: 'exp',
  erasure: 'ers',
  mandate: 'mnd',
  trusted_key: 'tky',
  organization: 'org',
  user: 'usr',
  key: 'key',
  endpoint: 'whe',
  delivery: 'whd',
  request: 'req',
  session: 'ses',
  audit: 'aud',
  passkey: 'psk',
  operator_act: 'opa',
  saved_view: 'viw',
} as const;

export type IdPrefix = (typeof idPrefixes)[keyof typeof idPrefixes];

// Random bytes are drawn in bulk: one by one, as ulid does, they are most of the cost of an id (60 µs).
const drawn = Buffer.alloc(4_096);
let used = drawn.length;

/** A random number from 0 (inclusive) to 1 (exclusive), in steps of 1/256; an id takes sixteen, with five bits each. */
function random(): number {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  return drawn.readUInt8(used++) / 256;
}

const next = monotonicFactory(random);

/** A new id, monotonic within this process: ids made in the same millisecond sort in order of creation. */
export const newId = (prefix: IdPrefix, at: number = Date.now()): string => `${prefix}_${next(at)}`;

/** The smallest possible id of this prefix at this time (ms since 1970) or later. */
export const firstIdAt = (prefix: IdPrefix, at: number): string =>
  `${prefix}_${encodeTime(Math.max(0, at), 10)}${'0'.repeat(16)}`;

/** Schema of an id with this prefix: any case in, the canonical form out. */
export const Id = (prefix: IdPrefix) => prefixedUlid(prefix);

const MOST_IDS = 200;

/** Schema of up to 200 ids with this prefix in one query parameter, separated by commas. */
export const IdList = (prefix: IdPrefix) =>
  z
    .string()
    .refine(text => {
      const ids = text.split(',');
      return ids.length <= MOST_IDS && ids.every(id => Id(prefix).safeParse(id).success);
    }, `must be 1 to ${MOST_IDS} ids, each ${prefix}_ followed by a ULID, separated by commas`)
    .transform(text => text.split(',').map(id => Id(prefix).parse(id)))
    .meta({ override: { type: 'string', examples: [`${prefix}_01KAG4M0Y8N9T4A5W3R7C2XDEF`] } });

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** A ULID holds times up to the year 10889. */
const LAST_TIME = 2 ** 48 - 1;

/** A deterministic id: 48 bits of time (ms since 1970), and the first 80 of a digest. */
export function derivedId(prefix: IdPrefix, milliseconds: number, digest: Buffer): string {
  const time = Math.min(Math.max(milliseconds, 0), LAST_TIME);
  const bits = (BigInt(time) << 80n) | BigInt(`0x${digest.toString('hex', 0, 10)}`);
  let id = '';
  for (let shift = 125n; shift >= 0n; shift -= 5n) id += DIGITS[Number((bits >> shift) & 31n)];
  return `${prefix}_${id}`;
}
