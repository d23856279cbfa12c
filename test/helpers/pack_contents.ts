import { createHash, KeyObject, sign } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { canonicalJson } from '#shared/json/canonical_json.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>;

/** The records of a pack before they are written, and its manifest without the list of files. */
export type Contents = {
  events: Json[];
  evidence: Json[];
  verifications: Json[];
  mandates: Json[];
  evaluations: Json[];
  alerts: Json[];
  screenings: Json[];
  case: Json | null;
  proofs: Json[];
  checkpoint: string;
  manifest: Json;
};

/** Somebody with an Ed25519 key; `raw` is the 32 bytes of the public one, `kid` its RFC 7638 thumbprint. */
export type Signer = { kid: string; jwk: JWK; raw: Buffer; private_key: KeyObject };

export async function makeSigner(): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const raw = Buffer.from(jwk.x ?? '', 'base64url');
  return { kid: await calculateJwkThumbprint(jwk), jwk, raw, private_key: KeyObject.from(privateKey) };
}

/** Records of `size` events of a log that has twice as many, by the description of the format alone: without the code that builds or checks packs. */
export function makeContents(signer: Signer, size: number): Contents {
  const evidence: Json[] = [];
  const events = Array.from({ length: size }, (_, index) => makeEvent(index, evidence, signer));
  // The pack has every second event of its log.
  const leaves = events.flatMap(event => [
    Buffer.from(event['leaf_hash'], 'hex'),
    sha256('\0', `other ${event['id']}`),
  ]);
  const levels = levelsOf(leaves);
  const root = levels.at(-1)?.[0] ?? sha256('');
  const proofs = events.map(({ id, chain_seq, leaf_hash }) => {
    const hashes = pathOf(levels, chain_seq - 1).map(hash => hash.toString('hex'));
    return { event_id: id, chain_seq, leaf_index: chain_seq - 1, leaf_hash, hashes };
  });
  const [first = {}, second = first] = events;
  const inputs = { event_digest: first['event_digest'], evidence_sha256: evidence[0]?.['sha256'] };
  const run = { event_id: first['id'], chain_seq: first['chain_seq'], result: 'verified', checks: [], inputs };
  const x402 = { ...run, kind: 'x402_authorization', evidence_id: evidence[0]?.['id'] };
  const mandate = { id: `mnd_${ulid(1)}`, name: 'Travel', version: 1, constraints: [] };
  const held = { event_id: first['id'], chain_seq: first['chain_seq'], mandate_id: mandate.id, result: 'compliant' };
  return {
    events,
    evidence,
    verifications: [
      { ...x402, id: `vrf_${ulid(1)}`, result: 'inconclusive', superseded: true },
      { ...x402, id: `vrf_${ulid(2)}`, superseded: false },
      {
        ...run,
        id: `vrf_${ulid(3)}`,
        kind: 'source_signature',
        evidence_id: null,
        inputs: { ...inputs, evidence_sha256: null },
        superseded: false,
      },
    ],
    mandates: [mandate, { ...mandate, version: 2 }],
    evaluations: [
      { ...held, version: 1, superseded: true },
      { ...held, version: 2, superseded: false },
      {
        ...held,
        event_id: second['id'],
        chain_seq: second['chain_seq'],
        mandate_id: `mnd_${ulid(9)}`,
        version: 0,
        superseded: false,
      },
    ],
    alerts: [{ id: `alr_${ulid(1)}`, title: 'Many payments', event_ids: [first['id']] }],
    screenings: [],
    case: { id: `cas_${ulid(1)}`, title: 'Looked at', timeline: [] },
    proofs,
    checkpoint: makeCheckpoint(signer, ORIGIN, leaves.length, root),
    manifest: {
      format: 'agent-payment-oversight-pack/1',
      pack: {
        id: `pck_${ulid(1)}`,
        kind: 'evidence_pack',
        title: 'Bookings in November',
        scope: { agent_id: `agt_${ulid(1)}` },
        redact: ['psp.webhook'],
        created_at: '2026-11-20T10:00:00.000Z',
        created_by: null,
      },
      organization: { id: ORG, name: 'Acme' },
      environment: 'sandbox',
      log: { origin: ORIGIN, size: leaves.length, root_hash: root.toString('hex'), analyzed_seq: leaves.length },
      counts: {
        events: events.length,
        evidence: evidence.length,
        verifications: 3,
        mandates: 2,
        evaluations: 3,
        alerts: 1,
        screenings: 0,
      },
    },
  };
}

/** A signed note (C2SP). */
export function makeCheckpoint({ raw, private_key }: Signer, origin: string, size: number, root: Buffer): string {
  const body = `${origin}\n${size}\n${root.toString('base64')}\n`;
  const id = sha256(origin, '\n', Buffer.of(1), raw).subarray(0, 4);
  return `${body}\n— ${origin} ${Buffer.concat([id, sign(null, Buffer.from(body), private_key)]).toString('base64')}\n`;
}

/** What the first events come with: one of each kind of value, and one of each reason to withhold one. */
const pieces: { value: string | Json; encoding?: string; kind?: string; withheld?: string }[][] = [
  [{ value: { '€': 1e21, '': [null, true, 'ü\u0000"'], ['__proto__']: -0 }, kind: 'x402.payment_payload' }],
  [],
  [{ value: 'an e-mail\nfrom the shop' }, { value: 'AP8B', encoding: 'base64' }],
  [
    { value: 'a card', kind: 'psp.webhook', withheld: 'redacted' },
    { value: 'a note', withheld: 'erased' },
  ],
];

function makeEvent(index: number, evidence: Json[], signer: Signer): Json {
  const chain_seq = 2 * index + 1;
  const id = `evt_${ulid(chain_seq)}`;
  const agent = { external_id: 'buyer', name: 'Buyer' };
  const payment = {
    payment_id: `order-${index}`,
    rail: 'card',
    status: 'settled',
    amount: { value: '48000', unit: 'minor', currency: 'USD' },
    payee: { key: 'domain:hotel.example.com', name: 'Hotel Seeblick' },
  };
  const came = (pieces[index] ?? []).map(({ value, encoding = 'utf8', kind = 'other.note' }) => {
    const bytes = typeof value === 'string' ? Buffer.from(value, encoding as 'utf8') : canonicalJson(value);
    return { kind, encoding, value: hex(bytes) };
  });
  const input = {
    id,
    type: 'payment.settled',
    occurred_at: '2026-11-20T09:00:00.000Z',
    agent,
    owner_id: `own_${ulid(1)}`,
    payment,
    ...(came.length > 0 && { evidence: came }),
    metadata: { '€': 'ö', '\ud83d\ude00': 1.5, b: 1e-7, a: [] },
  };
  for (const [position, { kind, encoding, value }] of came.entries()) {
    const { value: sent, withheld = null } = pieces[index]?.[position] ?? { value: '' };
    evidence.push({
      event_id: id,
      chain_seq,
      position,
      id: `evd_${ulid(100 * index + position)}`,
      kind,
      media_type: null,
      encoding,
      label: null,
      sha256: value,
      value: withheld === null ? structuredClone(sent) : null,
      withheld,
    });
  }
  const erased = (pieces[index] ?? []).flatMap(({ withheld }, position) => (withheld === 'erased' ? [position] : []));
  const received_at = '2026-11-20T09:00:01.000Z';
  const event_digest = hex(canonicalJson(input));
  return {
    id,
    chain_seq,
    received_at,
    type: input.type,
    occurred_at: input.occurred_at,
    environment: 'sandbox',
    source_id: `src_${ulid(1)}`,
    agent_id: `agt_${ulid(1)}`,
    owner_id: input.owner_id,
    payment: { ...structuredClone(payment), amount_usd_minor: '48000' },
    evidence_count: came.length,
    agent: { id: `agt_${ulid(1)}`, ...agent },
    owner: { id: input.owner_id, external_id: null, name: null },
    event_digest,
    leaf_hash: hex('\0', canonicalJson({ v: 1, seq: chain_seq, received_at, event_digest })),
    signed_input: null,
    input,
    erasure: erased.length === 0 ? null : makeErasure(signer, { chain_seq, event_digest, evidence: erased }),
  };
}

/** That values of an event's evidence were erased, signed. */
export function makeErasure({ kid, private_key }: Signer, event: Json): string {
  const statement = {
    v: 1,
    log: ORIGIN.slice(ORIGIN.indexOf('/') + 1),
    erasure: `ers_${ulid(1)}`,
    input_sha256: event['event_digest'],
    by: null,
    at: '2026-11-20T09:30:00.000Z',
    ground_sha256: hex('Request 4711'),
    ...event,
  };
  const signed = [{ alg: 'EdDSA', kid }, statement]
    .map(part => Buffer.from(canonicalJson(part)).toString('base64url'))
    .join('.');
  return `${signed}.${sign(null, Buffer.from(signed), private_key).toString('base64url')}`;
}

/** Every level of an RFC 6962 tree, from the leaves up; a node without a sibling goes up as it is. */
function levelsOf(leaves: Buffer[]): Buffer[][] {
  const levels = [leaves];
  for (let level = leaves; level.length > 1; levels.push(level)) {
    const below = level;
    level = below.flatMap((left, index) => {
      const right = below[index + 1];
      return index % 2 === 1 ? [] : [right ? sha256('\x01', left, right) : left];
    });
  }
  return levels;
}

const pathOf = (levels: Buffer[][], leaf: number): Buffer[] =>
  levels.flatMap((level, height) => {
    const at = Math.floor(leaf / 2 ** height);
    return level[at % 2 === 0 ? at + 1 : at - 1] ?? [];
  });

export const sha256 = (...parts: (string | Uint8Array)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const hex = (...parts: (string | Uint8Array)[]) => sha256(...parts).toString('hex');
const ulid = (number: number) => `01M7W819QAN7QFECMNE6${String(number).padStart(6, '0')}`;

const ORG = `org_${ulid(1)}`;
const ORIGIN = `oversight.example.com/${ORG}/sandbox`;
