// @ts-check
//
// verify.mjs checks an evidence pack, offline, with Node.js 20 or newer and nothing else:
//
//   node verify.mjs --keys keys.json pack.zip
//
// keys.json holds the public keys of the service (a JWKS), which you got from the service itself or from somebody you trust, never
// from the pack. The exit code is 0 only where everything checked out and a key of yours signed it; else it is 1.
//
// It opens no connection, writes no file and runs nothing of the pack. All that stands in a pack is taken for hostile: sizes are
// limited before anything is read, big files are read line by line, and what is printed loses its control characters.
// Read it from the top: what is checked comes first, how lines and containers are read comes after it.

import { createHash, createPublicKey, verify } from 'node:crypto';
import { constants, realpathSync } from 'node:fs';
import { lstat, open, opendir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createInflateRaw } from 'node:zlib';

const FORMAT = 'agent-payment-oversight-pack/1';

/** What every pack has beside its manifest, and how it is read: an object a line, an array with an element a line, or as a whole. */
const FILES = /** @type {Record<string, 'lines' | 'array' | 'whole'>} */ ({
  'events.jsonl': 'lines',
  'evidence.jsonl': 'lines',
  'verifications.json': 'array',
  'mandates.json': 'array',
  'evaluations.json': 'array',
  'alerts.json': 'array',
  'screenings.json': 'array',
  'case.json': 'whole',
  'log/checkpoint': 'whole',
  'log/proofs.jsonl': 'lines',
  'log/keys.json': 'whole',
  'report.html': 'whole',
  'report.pdf': 'whole',
  'verify.mjs': 'whole',
});

/** The checks, in the order in which they are reported. */
const CHECKS =
  'container manifest signature checkpoint key events proofs evidence verifications evaluations records files counts';

const DOES_NOT_PROVE = [
  'That the reports were true or complete: only that they were recorded, when, and in which order, by the holder of the key.',
  "That what was computed from them (verdicts, alerts, screenings, prices in dollars, names of agents) is right: it is the service's own word.",
  'That report.html and report.pdf say the same as the data: they are signed as they are, and not read here.',
  'That everybody was shown the same log: that is for witnesses to say, who keep checkpoints of their own.',
];

// More than an honest pack has, and little enough for the memory of a small machine; in bytes, where it does not say of what.
const MOST_FILES = 1_000;
const MOST_RECORDS = 2_000_000;
const MOST_LINE = 8 * 2 ** 20;
const MOST_WHOLE = 16 * 2 ** 20;
const MOST_SMALL = 2 ** 16;
const MOST_KEYS = 2 ** 20;
const MOST_FAILURES_TOLD = 20;

/**
 * Checks the pack at `path`, a ZIP or an unpacked folder. `keys` are the trusted keys: a parsed JWKS (RFC 7517) or a single JWK.
 * Whatever stands at `path`, the answer is a plain object; throws a `Fault` only where `keys` holds no Ed25519 public key.
 *
 * @param {string} path
 * @param {{ keys?: unknown }} [options]
 */
export async function verifyPack(path, { keys } = {}) {
  const trusted = keys === undefined ? [] : publicKeys(keys);
  if (keys !== undefined && trusted.length === 0)
    throw new Fault('There is no Ed25519 public key (RFC 8037) among the trusted keys.');
  const checks = /** @type {Record<string, Check>} */ ({});
  for (const name of CHECKS.split(' ')) checks[name] = { name, result: 'skip', detail: '', failed: 0, failures: [] };
  /** @type {Result} */
  const result = {
    checks,
    manifest: null,
    signers: { manifest: [], checkpoint: [], erasures: new Set() },
    unread: new Set(),
    notes: [],
  };

  const container = await openContainer(path).catch(error => failAs(checks.container, error));
  if (container) {
    const size = [...container.files.values()].reduce((sum, file) => sum + file.size, 0);
    settle(result, 'container', `${container.kind}, ${count(container.files.size, 'file')}, ${count(size, 'byte')}`);
    await checkContent(result, container, trusted).catch(error => failAs(checks.container, error));
    await container.close();
  }
  return conclude(result, keys !== undefined);
}

/**
 * The links of the chain, from your key to every byte: the key signed the manifest and the checkpoint; the manifest names every file
 * with its hash; the checkpoint's root hash commits to every event, and an event to its evidence.
 *
 * @param {Result} result @param {Container} container @param {Key[]} trusted
 */
async function checkContent(result, container, trusted) {
  const { checks } = result;
  // The pack's own keys are known too: they tell a pack that was damaged from one that somebody else signed. The check `key` decides.
  const own = await wholeFile(container, 'log/keys.json', MOST_KEYS).catch(() => null);
  const known = [...trusted, ...publicKeys(own && parseObject(textOf(own)))];

  const bytes = await wholeFile(container, 'manifest.json', MOST_WHOLE).catch(error => failAs(checks.manifest, error));
  const jws = await wholeFile(container, 'manifest.jws', MOST_SMALL).catch(error => failAs(checks.signature, error));
  if (bytes && jws) checkSignature(result, bytes, jws, known);
  const manifest = bytes && readManifest(result, bytes);
  if (!manifest) return;

  /** @type {Pack} */
  const pack = {
    result,
    container,
    manifest,
    listed: new Map(manifest.files.map(file => [file.path, file])),
    begun: new Set(),
  };
  checkNames(pack);
  await checkCheckpoint(pack, known);
  const log = await checkEvents(pack, known);
  checkKey(result, trusted);
  const found = {
    events: log.total,
    evidence: log.pieces,
    ...(await checkComputed(pack, log)),
    ...(await checkRecords(pack)),
  };
  // What no check reads is hashed all the same.
  for (const path of pack.listed.keys()) if (!pack.begun.has(path)) await drain(hashed(pack, path));

  const total = manifest.files.reduce((sum, file) => sum + file.size, 0);
  settle(
    result,
    'files',
    `${count(manifest.files.length, 'file')}, ${count(total, 'byte')}: none missing, none besides, SHA-256 as listed`,
    [...pack.listed.keys()],
  );
  for (const [name, number] of Object.entries(found))
    if (manifest.counts[name] !== number)
      fail(checks.counts, `counts.${name} is not ${number}, as found`, 'manifest.json');
  settle(
    result,
    'counts',
    Object.entries(found)
      .map(([name, number]) => `${number} ${name}`)
      .join(', '),
  );
  await compareProgram(pack);
}

// --- manifest.json and its signature -------------------------------------------------------------------------------------------------

/**
 * manifest.jws is a compact JWS with a detached payload (RFC 7515, appendix F), signed with Ed25519 (RFC 8037). There is one way to
 * write each of its parts, so that no bit of it can be changed.
 *
 * @param {Result} result @param {Buffer} bytes @param {Buffer} jws @param {Key[]} known
 */
function checkSignature(result, bytes, jws, known) {
  const check = result.checks.signature;
  const bad = failing(check, 'manifest.jws');
  const [text, header64, signature64] = /^([\w-]+)\.\.([\w-]+)$/.exec(jws.toString('latin1')) ?? [];
  const header = decoded(header64, 'base64url')?.toString();
  const signature = decoded(signature64, 'base64url');
  if (text?.length !== jws.length || header === undefined || signature?.length !== 64)
    return bad('is not <header>..<signature> in canonical base64url');
  const said = parseObject(header);
  // Written again it must be the same text: no member twice, no blanks.
  const isPlain = said && JSON.stringify(said) === header && Object.keys(said).toSorted().join() === 'alg,kid';
  if (!isPlain || said.alg !== 'EdDSA') return bad('has another header than {"alg":"EdDSA","kid":"…"}');
  // A key goes by its RFC 7638 thumbprint, which was computed here: what a JWK says of its own `kid` is never read.
  const key = known.find(candidate => candidate.kid === said.kid);
  if (!key) return bad(`is signed with a key that is neither trusted nor in log/keys.json: ${said.kid}`);
  if (!verify(null, Buffer.from(`${header64}.${bytes.toString('base64url')}`), key.key, signature)) {
    // Which of the two it was cannot be told: both are named.
    for (const file of ['manifest.json', 'manifest.jws'])
      fail(check, 'one of manifest.json and manifest.jws was changed', file);
    return;
  }
  result.signers.manifest.push(key.kid);
  settle(result, 'signature', `manifest.jws is an Ed25519 signature of manifest.json by the key ${key.kid}`);
}

/** @param {Result} result @param {Buffer} bytes */
function readManifest(result, bytes) {
  const bad = failing(result.checks.manifest, 'manifest.json');
  const read = parseObject(textOf(bytes));
  if (!read) return bad('is not one JSON object in UTF-8');
  if (read.format !== FORMAT) return bad(`is not of the format ${FORMAT}; another version of this program may know it`);
  const { pack, organization, log } = read;
  const files = Array.isArray(read.files) ? read.files : [];
  const shape = {
    'pack.id': isText(at(pack, 'id')),
    'pack.kind': isText(at(pack, 'kind')),
    'pack.title': at(pack, 'title') === null || typeof at(pack, 'title') === 'string',
    'pack.redact': isTextList(at(pack, 'redact')),
    'pack.created_at': isTime(at(pack, 'created_at')),
    'organization.id': isText(at(organization, 'id')),
    'organization.name': typeof at(organization, 'name') === 'string',
    environment: isText(read.environment),
    'log.size': isCount(at(log, 'size')),
    'log.root_hash': isHash(at(log, 'root_hash')),
    // <host>/<organization>/<environment>: the log of one cannot pass for another's.
    'log.origin': isOriginOf(at(log, 'origin'), `${at(organization, 'id')}/${read.environment}`),
    counts: isObject(read.counts),
    files:
      files.length <= MOST_FILES &&
      files.every(file => isText(at(file, 'path')) && isCount(at(file, 'size')) && isHash(at(file, 'sha256'))),
  };
  const wrong = Object.entries(shape).flatMap(([name, isSound]) => (isSound ? [] : [name]));
  if (wrong.length > 0) return bad(`is not as the format says: ${wrong.join(', ')}`);
  result.manifest = /** @type {Manifest} */ (read);
  settle(result, 'manifest', `${FORMAT}, ${count(files.length, 'file')} listed`);
  return result.manifest;
}

/** @param {unknown} origin @param {string} log */
const isOriginOf = (origin, log) =>
  isText(origin) && /^[^/\s]+\//.test(origin) && origin.slice(origin.indexOf('/') + 1) === log;

/** The pack has the files that its manifest lists, and no others. @param {Pack} pack */
function checkNames({ result, container, manifest, listed }) {
  const check = result.checks.files;
  const folded = new Set();
  for (const { path } of manifest.files) {
    if (!isSafeName(path) || isUnlisted(path)) fail(check, 'is no name that a manifest may list', path);
    if (folded.has(path.toLowerCase())) fail(check, 'is listed twice', path);
    if (!container.files.has(path)) fail(check, 'is listed in manifest.json, and is missing', path);
    folded.add(path.toLowerCase());
  }
  for (const path of Object.keys(FILES))
    if (!listed.has(path)) fail(check, 'belongs in every pack, and is not listed in manifest.json', path);
  for (const path of container.files.keys())
    if (!listed.has(path) && !isUnlisted(path)) fail(check, 'is not listed in manifest.json', path);
}

/** @param {string} path */
const isUnlisted = path => path === 'manifest.json' || path === 'manifest.jws';

// --- log/checkpoint and the keys -----------------------------------------------------------------------------------------------------

/**
 * log/checkpoint is a signed note (C2SP signed-note and tlog-checkpoint): origin, size and root hash, then signatures of these lines.
 *
 * @param {Pack} pack @param {Key[]} known
 */
async function checkCheckpoint(pack, known) {
  const { log } = pack.manifest;
  const bad = failing(pack.result.checks.checkpoint, 'log/checkpoint');
  const bytes = await collected(pack, 'log/checkpoint', MOST_SMALL);
  if (!bytes) return settle(pack.result, 'checkpoint', '', ['log/checkpoint']);
  const [, body, origin, size, root, signatures] =
    /^(([^\n]+)\n(0|[1-9]\d{0,15})\n([\w+/=]+)\n)\n((?:— [^ \n]+ [\w+/=]+\n)+)$/.exec(textOf(bytes) ?? '') ?? [];
  if (body === undefined || signatures === undefined) return bad('is not a signed note of origin, size and root hash');
  if (origin !== log.origin) bad("has another origin than the manifest's");
  if (Number(size) !== log.size) bad("has another size than the manifest's");
  if (decoded(root, 'base64')?.toString('hex') !== log.root_hash) bad("has another root hash than the manifest's");

  const signers = pack.result.signers.checkpoint;
  for (const line of signatures.split('\n').slice(0, -1)) {
    const [, name, text] = line.split(' ');
    const signed = decoded(text, 'base64');
    if (!signed) bad('has a signature that is not canonical base64');
    // The key id is the first 4 bytes of SHA-256 over name, newline, 1 for Ed25519, and the public key.
    const key = known.find(
      ({ raw }) => name === log.origin && signed?.subarray(0, 4).equals(sha256(`${name}\n\x01`, raw).subarray(0, 4)),
    );
    // Others may have signed it too, witnesses for example: their keys are not known here.
    if (!key || !signed) continue;
    if (verify(null, Buffer.from(body), key.key, signed.subarray(4))) signers.push(key.kid);
    else bad(`is not what its signature by the key ${key.kid} signs`);
  }
  if (signers.length === 0) bad('is not signed with a key that is trusted or in log/keys.json');
  settle(
    pack.result,
    'checkpoint',
    `${count(log.size, 'event')}, root hash ${log.root_hash}, signed with the key ${signers.join(', ')}`,
  );
}

/** All else could have been made by anybody with a key of their own; this says whose word it is. @param {Result} result @param {Key[]} trusted */
function checkKey(result, trusted) {
  const { manifest, checkpoint, erasures } = result.signers;
  const isTrusted = (/** @type {string} */ kid) => trusted.some(key => key.kid === kid);
  if (trusted.length === 0) fail(result.checks.key, 'is unproven, as no trusted keys were given', 'log/keys.json');
  else if (!manifest.some(isTrusted)) fail(result.checks.key, 'is not signed with a trusted key', 'manifest.json');
  else if (!checkpoint.some(isTrusted)) fail(result.checks.key, 'is not signed with a trusted key', 'log/checkpoint');
  else if (![...erasures].every(isTrusted))
    fail(result.checks.key, 'has an erasure that is not signed with a trusted key', 'events.jsonl');
  settle(result, 'key', 'manifest and checkpoint are signed with keys that you trust');
}

/** The Ed25519 keys of a JWKS or a single JWK; others are passed over (RFC 7517 §5). @param {unknown} document @returns {Key[]} */
function publicKeys(document) {
  const keys = at(document, 'keys') ?? [document];
  return (Array.isArray(keys) ? keys.slice(0, MOST_FILES) : []).flatMap(jwk => {
    const raw = decoded(at(jwk, 'x'), 'base64url');
    if (at(jwk, 'kty') !== 'OKP' || at(jwk, 'crv') !== 'Ed25519' || raw?.length !== 32) return [];
    const plain = { crv: 'Ed25519', kty: 'OKP', x: raw.toString('base64url') };
    const key = createPublicKey({ key: plain, format: 'jwk' });
    return [{ kid: sha256(JSON.stringify(plain)).toString('base64url'), raw, key }];
  });
}

// --- events, their proofs and their evidence -----------------------------------------------------------------------------------------

/**
 * events.jsonl, log/proofs.jsonl and evidence.jsonl are in the order of the log, and are read side by side. What is kept of an event is
 * its digest and the hashes of its evidence.
 *
 * @param {Pack} pack @param {Key[]} keys
 */
async function checkEvents(pack, keys) {
  const { result, manifest } = pack;
  const { events, proofs, evidence } = result.checks;
  const nextProof = inOrder(records(pack, 'log/proofs.jsonl', proofs), proofs);
  const nextPiece = inOrder(records(pack, 'evidence.jsonl', evidence), evidence);
  /** @type {Log} */
  const log = { events: new Map(), evidence: new Map(), total: 0, pieces: 0 };
  const withheld = { redacted: 0, erased: 0 };
  let emptied = 0;
  let last = 0;
  for await (const { value: event, where } of records(pack, 'events.jsonl', events)) {
    const { id, chain_seq: seq } = event;
    if (!isId(id) || !isCount(seq) || seq === 0) {
      fail(events, 'has no id or no chain_seq', where);
      continue;
    }
    if (seq <= last) fail(events, 'does not come after the event before it: chain_seq has to rise', where);
    if (log.events.has(id)) fail(events, 'has the id of another event', where);
    const erasure = (event.erasure ?? null) === null ? null : readErasure(event, pack, keys, failing(events, where));
    if (erasure) emptied += 1;
    guarded(events, where, bad => checkEvent(event, erasure, manifest, bad));
    if (isHash(event.event_digest)) log.events.set(id, { seq, digest: event.event_digest });
    log.total += 1;
    last = seq;

    const proof = await nextProof(seq);
    if (proof) guarded(proofs, proof.where, bad => checkProof(proof.value, event, manifest, bad));
    else fail(proofs, `has no proof of the event ${id}`, 'log/proofs.jsonl');

    const logged = at(event, 'input', 'evidence');
    const expected = Array.isArray(logged) ? logged : [];
    let position = 0;
    for (let piece = await nextPiece(seq); piece; piece = await nextPiece(seq)) {
      const { value, where } = piece;
      guarded(evidence, where, bad => checkPiece(value, { id, position, erasure }, expected[position], manifest, bad));
      if (log.evidence.has(value.id)) fail(evidence, 'has the id of another piece of evidence', where);
      if (isId(value.id) && isHash(value.sha256)) log.evidence.set(value.id, { event_id: id, sha256: value.sha256 });
      if (value.withheld === 'redacted' || value.withheld === 'erased') withheld[value.withheld] += 1;
      position += 1;
    }
    log.pieces += position;
    if (position < expected.length)
      fail(evidence, `has ${position} of the ${expected.length} pieces of the event ${id}`, 'evidence.jsonl');
  }
  // What is left belongs to no event.
  await nextProof(Infinity);
  await nextPiece(Infinity);

  const needs = ['events.jsonl', 'log/proofs.jsonl', 'evidence.jsonl'];
  const shown = log.pieces - withheld.redacted - withheld.erased;
  settle(
    result,
    'events',
    `${count(log.total, 'event')} in the order of the log, shown as they were logged; ${emptied} erased, as is signed of each`,
    needs.slice(0, 1),
  );
  settle(
    result,
    'proofs',
    `${count(log.total, 'inclusion proof')}, each from an event to the root hash`,
    needs.slice(0, 2),
  );
  settle(
    result,
    'evidence',
    `${count(shown, 'value')} with the hashes that were logged; ${withheld.redacted} redacted, ${withheld.erased} erased`,
    needs,
  );
  return log;
}

/**
 * What is signed of an event that was erased: the digest it had, and the SHA-256 of what is left of its input. A compact JWS (RFC 7515) by
 * Ed25519, in the one way to write it.
 *
 * @param {Json} event @param {Pack} pack @param {Key[]} keys @param {Bad} bad
 */
function readErasure(event, { result, manifest: { organization, environment } }, keys, bad) {
  const [, signed = '', signature64] = /^([\w-]+\.[\w-]+)\.([\w-]+)$/.exec(String(event.erasure)) ?? [];
  const [header, payload] = signed
    .split('.')
    .map(part => parseObject(textOf(decoded(part, 'base64url') ?? Buffer.of())));
  const signature = decoded(signature64, 'base64url');
  const key = keys.find(({ kid }) => kid === at(header, 'kid'));
  if (!header || !payload || signature?.length !== 64) return bad('erasure is not a JWS');
  if (header.alg !== 'EdDSA' || !key)
    return bad(`erasure is signed with a key that is neither trusted nor in log/keys.json: ${header.kid}`);
  if (!verify(null, Buffer.from(signed), key.key, signature)) return bad('erasure is not what its signature signs');
  result.signers.erasures.add(key.kid);
  const isOfEvent =
    payload.v === 1 &&
    payload.log === `${organization.id}/${environment}` &&
    payload.chain_seq === event.chain_seq &&
    payload.event_digest === event.event_digest;
  if (!isOfEvent) return bad('erasure is of another event');
  if (!isHash(payload.input_sha256) || !Array.isArray(payload.evidence)) return bad('erasure says not what is left');
  return { input_sha256: payload.input_sha256, evidence: payload.evidence };
}

/**
 * `input` makes the digest, and the digest the leaf of the log; and what is shown beside `input` is what stands in it. Of an event that was
 * erased, `input` is what its erasure left.
 *
 * @param {Json} event @param {ErasureOf} erasure @param {Manifest} manifest @param {Bad} bad
 */
function checkEvent(event, erasure, { environment }, bad) {
  const { input, chain_seq: seq, received_at, event_digest } = event;
  if (!isObject(input)) return bad('has no input');
  if (sha256(canonical(input)).toString('hex') !== (erasure ? erasure.input_sha256 : event_digest))
    bad(erasure ? 'input is not what its erasure left of it' : 'event_digest is not the SHA-256 of input');
  if (!isTime(received_at)) bad('received_at is not a time in UTC with milliseconds');
  // RFC 6962 §2.1: leaves are hashed after a 0, nodes after a 1, so that neither can pass for the other.
  if (sha256('\0', canonical({ v: 1, seq, received_at, event_digest })).toString('hex') !== event.leaf_hash)
    bad('leaf_hash is not that of chain_seq, received_at and event_digest');

  const { payment, agent, owner } = event;
  const agrees = (/** @type {string} */ name, /** @type {unknown} */ shown, /** @type {unknown} */ logged) => {
    if (shown !== logged && canonical(shown ?? null) !== canonical(logged ?? null))
      bad(`${name} is not what was logged`);
  };
  agrees('id', event.id, input.id);
  agrees('type', event.type, input.type);
  agrees('occurred_at', event.occurred_at, input.occurred_at);
  agrees('environment', event.environment, environment);
  // The price in US cents is the service's own word, all else of a payment is reported.
  const { amount_usd_minor: _price, ...reported } = isObject(payment) ? payment : {};
  agrees('payment', reported, input.payment);
  agrees('evidence_count', event.evidence_count, Array.isArray(input.evidence) ? input.evidence.length : 0);
  // Reported by the service's id or by the client's own, or, for a source, not at all.
  if (input.source_id !== undefined) agrees('source_id', event.source_id, input.source_id);
  if (input.agent_id !== undefined) agrees('agent_id', event.agent_id, input.agent_id);
  else agrees('agent.external_id', at(agent, 'external_id'), at(input, 'agent', 'external_id'));
  if (input.owner_id !== undefined) agrees('owner_id', event.owner_id, input.owner_id);
  else agrees('owner.external_id', at(owner, 'external_id'), at(input, 'owner', 'external_id'));
  agrees('agent.id', at(agent, 'id'), event.agent_id);
  agrees('owner.id', at(owner, 'id'), event.owner_id);
}

/** @param {Json} proof @param {Json} event @param {Manifest} manifest @param {Bad} bad */
function checkProof({ event_id, leaf_index, leaf_hash, hashes }, event, { log }, bad) {
  const index = Number(event.chain_seq) - 1;
  if (event_id !== event.id) bad(`is not of the event ${event.id}, whose chain_seq it has`);
  if (leaf_index !== index) bad('leaf_index is not chain_seq - 1');
  if (leaf_hash !== event.leaf_hash) bad('leaf_hash is not that of the event');
  if (index >= log.size) return bad(`is of an event beyond the ${log.size} of the checkpoint`);
  if (rootOf(event.leaf_hash, index, log.size, hashes) !== log.root_hash)
    bad('does not lead from the event to the root hash of the checkpoint');
}

/**
 * The root hash that an audit path leads to (RFC 9162 §2.1.3.2); null where the path is not of the very length that size and index ask
 * for. Numbers are halved by division, as JavaScript shifts 32 bits only.
 *
 * @param {unknown} leaf @param {number} index @param {number} size @param {unknown} path
 */
function rootOf(leaf, index, size, path) {
  if (!isHash(leaf) || !Array.isArray(path)) return null;
  let hash = Buffer.from(leaf, 'hex');
  let here = index;
  let last = size - 1;
  for (const item of path) {
    if (last === 0 || !isHash(item)) return null;
    const sibling = Buffer.from(item, 'hex');
    const isRight = here % 2 === 1 || here === last;
    hash = isRight ? sha256('\x01', sibling, hash) : sha256('\x01', hash, sibling);
    // The last node of a level may have no sibling: it goes up until it has one.
    while (isRight && here % 2 === 0 && here !== 0) [here, last] = [here / 2, Math.floor(last / 2)];
    [here, last] = [Math.floor(here / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash.toString('hex') : null;
}

/**
 * `logged` is what the event's `input.evidence` has at this position, with a hash in the place of the value.
 *
 * @param {Json} piece @param {{ id: string, position: number, erasure: ErasureOf }} of @param {unknown} logged @param {Manifest} manifest @param {Bad} bad
 */
function checkPiece(piece, of, logged, manifest, bad) {
  const { kind, value, withheld } = piece;
  if (!isId(piece.id) || !isHash(piece.sha256)) bad('has no id or no sha256');
  if (piece.event_id !== of.id) bad(`is not of the event ${of.id}, whose chain_seq it has`);
  if (piece.position !== of.position) bad(`position is not ${of.position}`);
  if (!isObject(logged)) return bad('is more than the event came with');
  const { media_type = null, encoding = 'utf8', label = null } = logged;
  for (const [name, expected] of Object.entries({
    kind: logged.kind,
    media_type,
    encoding,
    label,
    sha256: logged.value,
  }))
    if (piece[name] !== expected) bad(`${name} is not what was logged`);
  if (withheld === null && sha256(valueBytes(piece)).toString('hex') !== piece.sha256)
    bad('sha256 is not that of value');
  if (!isOneOf(withheld, null, 'redacted', 'erased')) bad('withheld is not null, redacted or erased');
  if (withheld === 'redacted' && !manifest.pack.redact.some(asked => asked === kind))
    bad('is redacted, and its kind was not to be');
  if (withheld !== null && value !== null) bad('is withheld, and has a value');
  const isErased = of.erasure?.evidence.includes(of.position) === true;
  if (withheld === null && isErased) bad('has a value, and an erasure says that it was removed');
}

/** The bytes that a value stands for. @param {Json} piece */
function valueBytes({ value, encoding }) {
  if (isObject(value) && encoding === 'utf8') return canonical(value);
  if (typeof value === 'string' && encoding === 'utf8') return wellFormed(value);
  const bytes = encoding === 'base64' ? decoded(value, 'base64') : null;
  if (!bytes) throw new Fault('value is not what encoding says');
  return bytes;
}

// --- what was computed from them -----------------------------------------------------------------------------------------------------

/**
 * A run of a verifier names its inputs by their hashes, and an evaluation the version of the mandate: they are events, evidence and
 * mandates of this pack.
 *
 * @param {Pack} pack @param {Log} log
 */
async function checkComputed(pack, log) {
  const { verifications, evaluations } = pack.result.checks;
  const found = { verifications: 0, mandates: 0, evaluations: 0 };
  const runs = latestOnly(verifications, 'verifications.json');
  for await (const { value: run, where } of records(pack, 'verifications.json', verifications)) {
    found.verifications += 1;
    const { event_id, chain_seq, evidence_id, kind } = run;
    const bad = failing(verifications, where);
    const event = log.events.get(event_id);
    // Null: the signature of the event itself.
    const input = evidence_id === null ? { event_id, sha256: null } : log.evidence.get(evidence_id);
    if (!event || event.seq !== chain_seq) bad('is of no event of the pack');
    else if (event.digest !== at(run, 'inputs', 'event_digest')) bad('inputs.event_digest is not that of its event');
    if (!input || input.event_id !== event_id) bad('is of no evidence of its event');
    else if (input.sha256 !== at(run, 'inputs', 'evidence_sha256'))
      bad('inputs.evidence_sha256 is not that of its evidence');
    if (!isOneOf(run.result, 'verified', 'failed', 'inconclusive')) bad('has no result');
    if (!isId(kind)) bad('has no kind');
    else if (event && input) runs.note(`${event_id} ${kind} ${evidence_id}`, run, where);
  }
  runs.end();
  const needs = ['events.jsonl', 'evidence.jsonl', 'verifications.json'];
  settle(
    pack.result,
    'verifications',
    `${count(found.verifications, 'run')}, each bound to the hashes of its event and its evidence`,
    needs,
  );

  const mandates = new Set();
  for await (const { value: mandate, where } of records(pack, 'mandates.json', evaluations)) {
    found.mandates += 1;
    const version = isId(mandate.id) && isCount(mandate.version) ? `${mandate.id} ${mandate.version}` : '';
    if (version === '' || mandates.has(version)) fail(evaluations, 'is not one version of a mandate', where);
    mandates.add(version);
  }
  const held = latestOnly(evaluations, 'evaluations.json');
  for await (const { value: evaluation, where } of records(pack, 'evaluations.json', evaluations)) {
    found.evaluations += 1;
    const { event_id, chain_seq, mandate_id, version } = evaluation;
    const event = log.events.get(event_id);
    if (!event || event.seq !== chain_seq) fail(evaluations, 'is of no event of the pack', where);
    if (!isOneOf(evaluation.result, 'compliant', 'breach', 'unresolved')) fail(evaluations, 'has no result', where);
    // Version 0: the event names a mandate that the service did not have.
    if (!isId(mandate_id) || (version !== 0 && !mandates.has(`${mandate_id} ${version}`)))
      fail(evaluations, 'is by a mandate or a version that mandates.json does not have', where);
    else if (event) held.note(`${event_id} ${mandate_id}`, evaluation, where);
  }
  held.end();
  settle(
    pack.result,
    'evaluations',
    `${count(found.evaluations, 'evaluation')} by ${count(found.mandates, 'version')} of mandates`,
    ['events.jsonl', 'mandates.json', 'evaluations.json'],
  );
  return found;
}

/** Of those about the same thing the last in the file stands, and those before it are superseded. @param {Check} check @param {string} file */
function latestOnly(check, file) {
  /** 0 for the one that stands, else the line of the last that is superseded. @type {Map<string, number>} */
  const last = new Map();
  return {
    note(/** @type {string} */ about, /** @type {Json} */ { superseded }, /** @type {Where} */ where) {
      if (typeof superseded !== 'boolean') fail(check, 'does not say whether it is superseded', where);
      if (last.get(about) === 0) fail(check, 'comes after one on the same that is not superseded', where);
      last.set(about, superseded ? (where.line ?? 1) : 0);
    },
    end() {
      for (const line of last.values())
        if (line > 0) fail(check, 'is superseded, and nothing comes after it', { file, line });
    },
  };
}

/** Of what is the service's own word there is nothing to check but that it can be read. @param {Pack} pack */
async function checkRecords(pack) {
  const check = pack.result.checks.records;
  const found = { alerts: 0, screenings: 0 };
  for (const name of /** @type {const} */ (['alerts', 'screenings']))
    for await (const { value } of records(pack, `${name}.json`, check)) if (value) found[name] += 1;
  const about = await collected(pack, 'case.json', MOST_WHOLE);
  const isNone = about?.toString().trim() === 'null';
  if (about && !isNone && !parseObject(textOf(about))) fail(check, 'is neither null nor a JSON object', 'case.json');
  const keys = await collected(pack, 'log/keys.json', MOST_KEYS);
  if (keys && !Array.isArray(at(parseObject(textOf(keys)), 'keys'))) fail(check, 'is not a JWKS', 'log/keys.json');
  const needs = ['alerts.json', 'screenings.json', 'case.json', 'log/keys.json'];
  settle(
    pack.result,
    'records',
    `${count(found.alerts, 'alert')}, ${count(found.screenings, 'screening')}, ${isNone ? 'no case' : '1 case'}`,
    needs,
  );
  return found;
}

/** @param {Pack} pack */
async function compareProgram({ result, container, listed }) {
  const program = fileURLToPath(import.meta.url);
  const bytes = await readFile(program).catch(() => '');
  if (sha256(bytes).toString('hex') !== listed.get('verify.mjs')?.sha256)
    result.notes.push(
      'verify.mjs of the pack is not the program that runs here, but another version of it or something else.',
    );
  if (dirname(program) === container.folder)
    result.notes.push(
      'The program that runs here came with the pack. Use one from elsewhere: GET /verify.mjs of the service, or its release.',
    );
}

// --- reading the files of a pack, and hashing them on the way ------------------------------------------------------------------------

/**
 * The bytes of a file. Read to the end they must have the SHA-256 of the manifest; a file of another size is not read at all. Whatever
 * goes wrong is a failure of the check `files`, and ends the file.
 *
 * @param {Pack} pack @param {string} path
 */
async function* hashed({ result, container, listed, begun }, path) {
  const file = container.files.get(path);
  const promised = listed.get(path);
  const bad = failing(result.checks.files, path);
  begun.add(path);
  result.unread.add(path);
  // That it is missing was said before.
  if (!file || !promised) return;
  if (file.size !== promised.size)
    return bad(`has ${count(file.size, 'byte')}, and in manifest.json ${count(promised.size, 'byte')}`);
  const hash = createHash('sha256');
  try {
    for await (const chunk of file.chunks()) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    return bad(reasonOf(error));
  }
  result.unread.delete(path);
  if (hash.digest('hex') !== promised.sha256) bad('has another SHA-256 than in manifest.json: it was changed');
}

/**
 * The objects of a file, each with where it stands. What is out of shape is a failure of `check`, and the reading goes on, so that the
 * file is hashed to its end.
 *
 * @param {Pack} pack @param {string} file @param {Check} check @returns {AsyncGenerator<Found, void>}
 */
async function* records(pack, file, check) {
  const isArray = FILES[file] === 'array';
  // What stood on the line before: `[`, `]`, `,` for an element with a comma, `.` for one without.
  let before = '';
  for await (const { line, text } of lines(pack, file, check)) {
    let json = text;
    if (isArray) {
      const isBracket = text === '[' || text === ']';
      const now = isBracket ? text : text.endsWith(',') ? ',' : '.';
      if (!['[', '[]', '[,', '[.', ',,', ',.', '.]'].includes(before + now))
        fail(check, 'is out of place in an array with one element a line', { file, line });
      before = now;
      if (isBracket) continue;
      if (now === ',') json = text.slice(0, -1);
    }
    const value = parseObject(json);
    const id = file === 'events.jsonl' ? value?.id : value?.event_id;
    const where = { file, line, ...(isId(id) && { event_id: id }) };
    if (value) yield { value, where };
    else fail(check, 'is not one JSON object', where);
  }
  if (isArray && before !== ']' && !pack.result.unread.has(file)) fail(check, 'is an array without an end', file);
}

/** @param {Pack} pack @param {string} file @param {Check} check */
async function* lines(pack, file, check) {
  let line = 1;
  let length = 0;
  /** @type {Buffer[]} */
  let parts = [];
  const keep = (/** @type {Buffer} */ part) => {
    length += part.length;
    parts = length > MOST_LINE ? [] : [...parts, part];
  };
  for await (const chunk of hashed(pack, file)) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, end));
      const text = length > MOST_LINE ? null : textOf(Buffer.concat(parts));
      if (text === null) fail(check, `is not UTF-8 text of at most ${count(MOST_LINE, 'byte')}`, { file, line });
      else if (line <= MOST_RECORDS) yield { line, text };
      if (line === MOST_RECORDS + 1) fail(check, `has more than ${count(MOST_RECORDS, 'line')}`, file);
      [line, length, parts, from] = [line + 1, 0, [], end + 1];
    }
    keep(chunk.subarray(from));
  }
  if (length > 0) fail(check, 'does not end with a newline', { file, line });
}

/**
 * Hands out records that are in the order of `chain_seq`: each call the next of that event, or undefined where there is none (left).
 * Those that were passed over are failures of `check`.
 *
 * @param {AsyncGenerator<Found, void>} found @param {Check} check
 */
function inOrder(found, check) {
  /** @type {IteratorResult<Found, void> | undefined} */
  let ahead;
  return async (/** @type {number} */ seq) => {
    for (;;) {
      ahead ??= await found.next();
      if (ahead.done) return undefined;
      const item = ahead.value;
      const { chain_seq } = item.value;
      if (isCount(chain_seq) && chain_seq > seq) return undefined;
      ahead = undefined;
      if (chain_seq === seq) return item;
      fail(check, 'is of no event of the pack, or out of order', item.where);
    }
  };
}

/** A file of the manifest as a whole, or null: it could not be read, or has more than `most` bytes. @param {Pack} pack @param {string} path @param {number} most */
async function collected(pack, path, most) {
  const parts = [];
  let size = 0;
  for await (const chunk of hashed(pack, path)) {
    size += chunk.length;
    if (size <= most) parts.push(chunk);
  }
  if (size > most) {
    pack.result.unread.add(path);
    fail(pack.result.checks.files, `has more than ${count(most, 'byte')}`, path);
  }
  return pack.result.unread.has(path) ? null : Buffer.concat(parts);
}

/** @param {AsyncIterable<Buffer>} chunks */
async function drain(chunks) {
  for await (const chunk of chunks) void chunk;
}

/** A file before its hash is known, if it has no more than `most` bytes. @param {Container} container @param {string} path @param {number} most */
async function wholeFile({ files }, path, most) {
  const file = files.get(path);
  if (!file) throw new Fault('is missing', path);
  if (file.size > most) throw new Fault(`has more than ${count(most, 'byte')}`, path);
  const parts = [];
  try {
    for await (const chunk of file.chunks()) parts.push(chunk);
  } catch (error) {
    throw new Fault(reasonOf(error), path);
  }
  return Buffer.concat(parts);
}

// --- the container: a folder or a ZIP ------------------------------------------------------------------------------------------------

/** @param {string} path @returns {Promise<Container>} */
async function openContainer(path) {
  const about = await stat(path);
  if (about.isDirectory()) return openFolder(await realpath(path));
  if (about.isFile()) return openZip(path);
  throw new Fault('The pack is neither a file nor a folder.');
}

/** An unpacked folder. Links are refused: what they lead to is not in the pack. @param {string} folder @returns {Promise<Container>} */
async function openFolder(folder) {
  /** @type {Container['files']} */
  const files = new Map();
  const walk = async (/** @type {string} */ within) => {
    for await (const item of await opendir(join(folder, within))) {
      const name = within + item.name;
      if (!isSafeName(name)) throw new Fault(BAD_NAME, name);
      if (files.size >= MOST_FILES) throw new Fault(`The folder has more than ${MOST_FILES} files.`);
      const about = await lstat(join(folder, name));
      if (about.isDirectory()) await walk(`${name}/`);
      else if (about.isFile())
        files.set(name, { size: about.size, chunks: () => fileChunks(join(folder, name), about.size) });
      else throw new Fault('is a link or something else that is no file', name);
    }
  };
  await walk('');
  return { kind: 'folder', folder, files, close: async () => {} };
}

/** @param {string} path @param {number} size */
async function* fileChunks(path, size) {
  // Something else may stand there by now: no link is followed, and no pipe waited for (Windows has neither flag).
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const about = await handle.stat();
    if (!about.isFile() || about.size !== size) throw new Fault('was changed while it was read');
    yield* stretch(handle, 0, size);
  } finally {
    await handle.close();
  }
}

/** @param {Handle} handle @param {number} start @param {number} length */
async function* stretch(handle, start, length) {
  for (let done = 0; done < length; done += CHUNK)
    yield await bytesAt(handle, start + done, Math.min(CHUNK, length - done));
}

const CHUNK = 2 ** 17;

/** @param {Handle} handle @param {number} position @param {number} length */
async function bytesAt(handle, position, length) {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new Fault('ends too early');
    done += bytesRead;
  }
  return bytes;
}

/** No absolute path, no `..`, no backslash or drive, no hidden file, nothing beyond ASCII: it names one file on every system. @param {string} name */
const isSafeName = name =>
  name.length <= 200 && /^(?:[\w-][\w.-]*\/){0,4}[\w-][\w.-]*$/.test(name) && !/\.(?:\/|$)/.test(name);
const BAD_NAME = 'is no name that a file of a pack has: ASCII letters, digits, _ - and . within, / between them';

/**
 * A ZIP archive (PKWARE APPNOTE 6.3.10) that can be read in one way only: the files lie end to end from the first byte to the
 * directory, which says the same of them as they do themselves, and the end record is the end.
 *
 * @param {string} path @returns {Promise<Container>}
 */
async function openZip(path) {
  const handle = await open(path, 'r');
  try {
    const { entries, start } = await readDirectory(handle);
    entries.sort((a, b) => a.offset - b.offset);
    /** @type {Container['files']} */
    const files = new Map();
    const names = new Set();
    let end = 0;
    for (const [index, entry] of entries.entries()) {
      if (entry.offset !== end) throw new Fault('overlaps the file before it, or leaves a gap', entry.name);
      end = entries[index + 1]?.offset ?? start;
      const data = await checkLocalHeader(handle, entry, end);
      if (names.has(entry.name.toLowerCase())) throw new Fault('is in the archive twice', entry.name);
      names.add(entry.name.toLowerCase());
      if (!entry.name.endsWith('/'))
        files.set(entry.name, { size: entry.size, chunks: () => entryChunks(handle, data, entry) });
    }
    if (end !== start) throw new Fault('The archive has something before its directory that is no file of it.');
    return { kind: 'ZIP archive', folder: null, files, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The entries of the central directory, and where it begins. @param {Handle} handle */
async function readDirectory(handle) {
  const { size } = await handle.stat();
  const last = size < 22 ? Buffer.alloc(22) : await bytesAt(handle, size - 22, 22);
  // With no comment after it, the end record can be in one place only.
  if (last.readUInt32LE(0) !== 0x06054b50 || last.readUInt16LE(20) !== 0)
    throw new Fault(
      'The file does not end as a ZIP archive without a comment does: it is none, was cut off, or something was appended.',
    );
  const narrow = [
    last.readUInt32LE(4),
    last.readUInt16LE(8),
    last.readUInt16LE(10),
    last.readUInt32LE(12),
    last.readUInt32LE(16),
  ];
  const isWide = narrow[1] === 0xffff || narrow[2] === 0xffff || narrow[3] === 0xffffffff || narrow[4] === 0xffffffff;
  const end = size - (isWide ? 98 : 22);
  const [disks, here, total, length, start] = isWide ? await readWideEnd(handle, end, narrow) : narrow;
  if (disks !== 0 || here !== total) throw new Fault('The archive is spread over several disks.');
  if (total > MOST_FILES || length > MOST_SMALL) throw new Fault(`The archive has more than ${MOST_FILES} files.`);
  if (start + length !== end) throw new Fault('The directory of the archive does not reach to its end.');
  const bytes = await bytesAt(handle, start, length);
  const entries = [];
  let position = 0;
  while (position < length) {
    const entry = directoryEntry(bytes.subarray(position));
    position += entry.length;
    if (entries.push(entry) > MOST_FILES) break;
  }
  if (entries.length !== total)
    throw new Fault('The directory of the archive has another number of files than the end record says.');
  return { entries, start };
}

/** The ZIP64 end record and its locator: disks, entries here, entries in total, length and start. @param {Handle} handle @param {number} at @param {number[]} narrow */
async function readWideEnd(handle, at, narrow) {
  const bytes = at < 0 ? Buffer.alloc(76) : await bytesAt(handle, at, 76);
  const isRecord = bytes.readUInt32LE(0) === 0x06064b50 && long(bytes, 4) === 44;
  const isLocator =
    bytes.readUInt32LE(56) === 0x07064b50 &&
    bytes.readUInt32LE(60) === 0 &&
    long(bytes, 64) === at &&
    bytes.readUInt32LE(72) === 1;
  const wide = [
    bytes.readUInt32LE(16) + bytes.readUInt32LE(20),
    long(bytes, 24),
    long(bytes, 32),
    long(bytes, 40),
    long(bytes, 48),
  ];
  const most = [0, 0xffff, 0xffff, 0xffffffff, 0xffffffff];
  if (
    !isRecord ||
    !isLocator ||
    !narrow.every((value, index) => value === wide[index] || (index > 0 && value === most[index]))
  )
    throw new Fault('The archive has no ZIP64 end record, or one that does not agree with its end record.');
  return wide;
}

/** @param {Buffer} bytes an entry of the central directory, and what follows it */
function directoryEntry(bytes) {
  if (bytes.length < 46 || bytes.readUInt32LE(0) !== 0x02014b50)
    throw new Fault('The directory of the archive is damaged.');
  const header = headerFields(bytes, 8);
  const length = 46 + header.name_length + header.extra_length + bytes.readUInt16LE(32);
  if (length > bytes.length) throw new Fault('The directory of the archive is damaged.');
  const raw = bytes.subarray(46, 46 + header.name_length);
  const name = raw.toString('latin1');
  const isFolder = name.endsWith('/');
  const [packed, size, offset] = wideSizes(
    bytes.subarray(46 + header.name_length, length - bytes.readUInt16LE(32)),
    [header.packed, header.size, bytes.readUInt32LE(42)],
    name,
  );
  const type = (bytes.readUInt32LE(38) >>> 16) & 0o170000;

  const bad = (/** @type {string} */ message) => new Fault(message, name);
  if (!isSafeName(isFolder ? name.slice(0, -1) : name)) throw bad(BAD_NAME);
  if (header.flags & 0x2041) throw bad('is encrypted');
  // Flags that are left: how hard it was compressed, sizes after the data, names in UTF-8.
  if (header.flags & ~0x080e) throw bad(`has flags (${header.flags}) that are not known here`);
  if ((bytes.readUInt16LE(6) & 255) > 45) throw bad('needs a later version of ZIP than 4.5');
  if (header.method !== 0 && header.method !== 8)
    throw bad(`is compressed by a method (${header.method}) that is not known here`);
  if (bytes.readUInt16LE(32) !== 0) throw bad('has a comment');
  if (bytes.readUInt16LE(34) !== 0) throw bad('is on another disk');
  if (type !== 0 && type !== (isFolder ? 0o040000 : 0o100000)) throw bad('is a link or something else that is no file');
  if (isFolder && size !== 0) throw bad('is a folder with content');
  // Deflate makes 1032 bytes of one at most.
  if (header.method === 0 ? size !== packed : size > 1032 * (packed + 1))
    throw bad('has a size that its data cannot have');
  return { ...header, name, raw, packed, size, offset, length };
}

/** What stands in the directory and again before the data, from the flags on. @param {Buffer} bytes @param {number} start */
const headerFields = (bytes, start) => ({
  flags: bytes.readUInt16LE(start),
  method: bytes.readUInt16LE(start + 2),
  time: bytes.readUInt32LE(start + 4),
  crc: bytes.readUInt32LE(start + 8),
  packed: bytes.readUInt32LE(start + 12),
  size: bytes.readUInt32LE(start + 16),
  name_length: bytes.readUInt16LE(start + 20),
  extra_length: bytes.readUInt16LE(start + 22),
});

/**
 * Sizes that do not fit into 32 bits stand in the extra field 0x0001, uncompressed size first (APPNOTE 4.5.3). The extra field 0x7075,
 * which gives a file a second name, is refused.
 *
 * @param {Buffer} extra @param {number[]} sizes compressed, uncompressed, and where there is one the offset @param {string} name
 */
function wideSizes(extra, [packed, size, ...offset], name) {
  /** @type {Uint8Array} */
  let wide = new Uint8Array();
  for (let at = 0; at < extra.length;) {
    const end = at + 4 + (at + 4 <= extra.length ? extra.readUInt16LE(at + 2) : Infinity);
    const id = end <= extra.length ? extra.readUInt16LE(at) : 0x7075;
    if (id === 0x7075 || (id === 1 && wide.length > 0))
      throw new Fault('has an extra field that is damaged or ambiguous', name);
    if (id === 1) wide = extra.subarray(at + 4, end);
    at = end;
  }
  let next = 0;
  const [full, ...others] = [size, packed, ...offset].map(value => {
    if (value !== 0xffffffff) return value;
    next += 8;
    if (next > wide.length) throw new Fault('has no ZIP64 field where it needs one', name);
    return long(Buffer.from(wide), next - 8);
  });
  if (next !== wide.length) throw new Fault('has a ZIP64 field that it does not need', name);
  return [others[0], full, ...others.slice(1)];
}

/**
 * Holds the header before the data, and the descriptor after it where there is one, against the directory. Answers where the data is.
 *
 * @param {Handle} handle @param {Entry} entry @param {number} end where the next file begins, or the directory
 */
async function checkLocalHeader(handle, entry, end) {
  const room = end - entry.offset;
  if (room < 30) throw new Fault('overlaps the file after it', entry.name);
  const bytes = await bytesAt(handle, entry.offset, 30);
  if (bytes.readUInt32LE(0) !== 0x04034b50) throw new Fault('has no header of its own', entry.name);
  const local = headerFields(bytes, 6);
  const before = 30 + local.name_length + local.extra_length;
  const gap = room - before - entry.packed;
  if (gap < 0) throw new Fault('overlaps the file after it', entry.name);
  const rest = await bytesAt(handle, entry.offset + 30, before - 30);
  const [packed, size] = wideSizes(rest.subarray(local.name_length), [local.packed, local.size], entry.name);
  // Sizes and CRC may be left to a descriptor after the data.
  const isLater = (entry.flags & 8) !== 0;
  const agrees = (/** @type {number} */ here, /** @type {number} */ there) => here === there || (isLater && here === 0);
  const isSame =
    rest.subarray(0, local.name_length).equals(entry.raw) &&
    ['flags', 'method', 'time'].every(name => at(local, name) === at(entry, name)) &&
    agrees(local.crc, entry.crc) &&
    agrees(packed, entry.packed) &&
    agrees(size, entry.size);
  if (!isSame) throw new Fault('has another header than the directory of the archive says', entry.name);
  const after = await bytesAt(handle, end - Math.min(gap, 25), Math.min(gap, 25));
  if (isLater ? !descriptors(entry).some(form => form.equals(after)) : gap > 0)
    throw new Fault('is followed by something that is no part of it', entry.name);
  return entry.offset + before;
}

/** A data descriptor: its signature may be left out, and its sizes have 4 or 8 bytes (APPNOTE 4.3.9). @param {Entry} entry */
const descriptors = ({ crc, packed, size }) =>
  [4, 8].flatMap(width => {
    const body = Buffer.alloc(4 + 2 * width);
    body.writeUInt32LE(crc, 0);
    for (const [index, value] of [packed, size].entries()) {
      body.writeUInt32LE(value % 2 ** 32, 4 + width * index);
      if (width === 8) body.writeUInt32LE(Math.floor(value / 2 ** 32), 8 + width * index);
    }
    return [body, Buffer.concat([Buffer.from('PK\x07\x08'), body])];
  });

/** The content of a file: no more than its size, and with its CRC. @param {Handle} handle @param {number} start @param {Entry} entry */
async function* entryChunks(handle, start, { method, packed, size, crc }) {
  let done = 0;
  let sum = -1;
  for await (const chunk of method === 0 ? stretch(handle, start, packed) : inflated(handle, start, packed)) {
    done += chunk.length;
    if (done > size) throw new Fault('inflates to more than its size');
    for (const byte of chunk) sum = (sum >>> 8) ^ CRC_TABLE[(sum ^ byte) & 255];
    yield chunk;
  }
  if (done !== size) throw new Fault('inflates to less than its size');
  if (~sum >>> 0 !== crc) throw new Fault('has another CRC than the archive says');
}

/** @param {Handle} handle @param {number} start @param {number} length @returns {AsyncGenerator<Buffer>} */
async function* inflated(handle, start, length) {
  const inflate = createInflateRaw({ chunkSize: CHUNK });
  // What goes wrong comes out of the reading; this promise is only waited for.
  const written = pipeline(Readable.from(stretch(handle, start, length)), inflate).catch(() => {});
  try {
    for await (const chunk of inflate) yield chunk;
  } finally {
    inflate.destroy();
    await written;
  }
  if (inflate.bytesWritten !== length) throw new Fault('has something after its compressed data');
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** 64 bits; more than a number can count is as good as the most. @param {Buffer} bytes @param {number} at */
const long = (bytes, at) => Math.min(Number(bytes.readBigUInt64LE(at)), Number.MAX_SAFE_INTEGER);

// --- JSON, text and hashes -------------------------------------------------------------------------------------------------------------

/**
 * The canonical text of JSON (RFC 8785): members in the order of their UTF-16 code units, numbers and strings as ECMAScript writes them.
 *
 * @param {unknown} value @returns {string}
 */
function canonical(value, depth = 0) {
  if (typeof value === 'string') return JSON.stringify(wellFormed(value));
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Fault('has a number that is too large');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (depth >= 64) throw new Fault('is nested more than 64 levels deep');
  if (Array.isArray(value)) return `[${value.map(item => canonical(item, depth + 1)).join()}]`;
  // To JSON.parse and Object.entries `__proto__` is a member like any other.
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, item]) => `${canonical(name)}:${canonical(item, depth + 1)}`).join()}}`;
}

/** @param {string} text */
function wellFormed(text) {
  if (!text.isWellFormed()) throw new Fault('has half of a surrogate pair');
  return text;
}

/** @param {(string | Uint8Array)[]} parts */
function sha256(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** The bytes of base64; null where they would be written in another way. @param {unknown} text @param {'base64' | 'base64url'} encoding */
function decoded(text, encoding) {
  const bytes = typeof text === 'string' ? Buffer.from(text, encoding) : null;
  return bytes?.toString(encoding) === text ? bytes : null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null where it is not UTF-8. @param {Uint8Array} bytes */
function textOf(bytes) {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Null where it is not one JSON object. @param {string | null} text @returns {Json | null} */
function parseObject(text) {
  try {
    const value = JSON.parse(text ?? '');
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A member, however deep; undefined where there is none. @param {unknown} value @param {string[]} names @returns {unknown} */
const at = (value, ...names) =>
  names.reduce((/** @type {unknown} */ item, name) => (isObject(item) ? item[name] : undefined), value);

/** @param {unknown} value @returns {value is Json} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Of any kind; longer ones would only fill the memory. @param {unknown} value @returns {value is string} */
const isId = value => isText(value) && value.length <= 100;
/** @param {unknown} value @returns {value is string} */
const isText = value => typeof value === 'string' && value !== '';
/** @param {unknown} value @returns {value is number} */
const isCount = value => Number.isSafeInteger(value) && Number(value) >= 0;
/** @param {unknown} value @returns {value is string} */
const isHash = value => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
/** @param {unknown} value */
const isTime = value => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
/** @param {unknown} value @param {(string | null)[]} names */
const isOneOf = (value, ...names) => names.some(name => name === value);
/** @param {unknown} value */
const isTextList = value => Array.isArray(value) && value.every(item => typeof item === 'string');

/** @param {number} number @param {string} noun */
const count = (number, noun) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

// --- what was found --------------------------------------------------------------------------------------------------------------------

/** What is wrong, and with which file of the pack. */
class Fault extends Error {
  /** @param {string} message @param {string} [file] */
  constructor(message, file) {
    super(message);
    this.file = file;
  }
}

/** @param {Check} check @param {string} message @param {Where | string} where */
function fail(check, message, where) {
  check.result = 'fail';
  check.failed += 1;
  if (check.failures.length < MOST_FAILURES_TOLD)
    check.failures.push({ ...(typeof where === 'string' ? { file: where } : where), message });
}

/** @param {Check} check @param {Where | string} where */
const failing = (check, where) => (/** @type {string} */ message) => void fail(check, message, where);

/** @param {Check} check @param {unknown} error */
function failAs(check, error) {
  fail(check, reasonOf(error), error instanceof Fault && error.file !== undefined ? error.file : {});
  return null;
}

/** Checks one thing; what it cannot go on with is a failure like any other. @param {Check} check @param {Where} where @param {(bad: Bad) => void} work */
function guarded(check, where, work) {
  try {
    work(failing(check, where));
  } catch (error) {
    fail(check, reasonOf(error), where);
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  if (error instanceof Fault) return error.message;
  return `cannot be read: ${error instanceof Error ? error.message : error}`;
}

/** Ends a check: passed, unless something failed or a file that it needs could not be read. @param {Result} result @param {string} name @param {string} detail @param {string[]} [needs] */
function settle({ checks, unread }, name, detail, needs = []) {
  const check = checks[name];
  const missing = needs.filter(path => unread.has(path));
  if (check.result === 'skip')
    check.detail = missing.length > 0 ? `not done, for want of ${missing.join(', ')}` : detail;
  if (check.result === 'skip' && missing.length === 0) check.result = 'pass';
}

/** @param {Result} result @param {boolean} hasKeys */
function conclude({ checks, manifest, signers, notes }, hasKeys) {
  const open = Object.values(checks).filter(check => check.result !== 'pass');
  const isUnproven = !hasKeys && open.every(check => check === checks.key);
  return {
    ok: open.length === 0,
    verdict: /** @type {'verified' | 'unproven' | 'failed'} */ (
      open.length === 0 ? 'verified' : isUnproven ? 'unproven' : 'failed'
    ),
    // What the pack says of itself, which is worth as much as the verdict.
    pack: manifest && {
      ...manifest.pack,
      organization: manifest.organization,
      environment: manifest.environment,
      log: manifest.log,
    },
    signed_by: [...new Set([...signers.manifest, ...signers.checkpoint])],
    checks: Object.values(checks),
    notes,
    does_not_prove: DOES_NOT_PROVE,
  };
}

/**
 * @typedef {Record<string, unknown>} Json
 * @typedef {import('node:fs/promises').FileHandle} Handle
 * @typedef {{ kid: string, raw: Buffer, key: import('node:crypto').KeyObject }} Key `kid` is the RFC 7638 thumbprint
 * @typedef {{ file?: string, line?: number, event_id?: string }} Where
 * @typedef {{ name: string, result: 'pass' | 'fail' | 'skip', detail: string, failed: number, failures: (Where & { message: string })[] }} Check
 * @typedef {(message: string) => void} Bad
 * @typedef {{ value: Json, where: Where }} Found
 * @typedef {{
 *   checks: Record<string, Check>, manifest: Manifest | null, signers: { manifest: string[], checkpoint: string[], erasures: Set<string> },
 *   unread: Set<string>, notes: string[],
 * }} Result
 * @typedef {{ kind: string, folder: string | null, files: Map<string, { size: number, chunks: () => AsyncIterable<Buffer> }>, close: () => Promise<void> }} Container
 * @typedef {{ path: string, size: number, sha256: string }} Listed
 * @typedef {{ result: Result, container: Container, manifest: Manifest, listed: Map<string, Listed>, begun: Set<string> }} Pack `begun`: was read, or should have been
 * @typedef {{ events: Map<unknown, { seq: number, digest: string }>, evidence: Map<unknown, { event_id: string, sha256: string }>, total: number, pieces: number }} Log
 * @typedef {{ input_sha256: string, evidence: unknown[] } | null | undefined | void} ErasureOf
 * @typedef {ReturnType<typeof directoryEntry>} Entry
 * @typedef {{
 *   pack: { id: string, kind: string, title: string | null, redact: string[], created_at: string },
 *   organization: { id: string, name: string }, environment: string, log: { origin: string, size: number, root_hash: string },
 *   counts: Json, files: Listed[],
 * }} Manifest what `readManifest` has made sure of
 */

// --- the program -----------------------------------------------------------------------------------------------------------------------

const USAGE = `Usage: node verify.mjs [--keys FILE] [--json] [PATH]

PATH  the pack: its ZIP, or the folder that it was unpacked to. If left out: the current folder if it is a pack, else the folder of this program.
FILE  the public keys that you trust (JWKS or JWK), as the service gives them at GET /v1/keys.json.`;

/** Runs the program; answers with its exit code. @param {string[]} args */
export async function main(args) {
  const isJson = args.includes('--json');
  // Whoever reads may have read enough.
  process.stdout.on('error', () => {});
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { keys: { type: 'string' }, json: { type: 'boolean' } },
    });
    if (positionals.length > 1) throw new Fault('One pack at a time.');
    const keys = values.keys === undefined ? undefined : await readKeys(values.keys);
    const result = await verifyPack(positionals[0] ?? (await defaultPath()), { keys });
    if (isJson) print(asciiJson(result));
    else for (const line of report(result)) print(clean(line, 1_000));
    return result.ok ? 0 : 1;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (isJson) print(asciiJson({ ok: false, error: message }));
    else process.stderr.write(`${message}\n\n${USAGE}\n`);
    return 1;
  }
}

/** @param {string} path */
async function readKeys(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Fault(`The trusted keys cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

const defaultPath = async () =>
  (await lstat('manifest.json').catch(() => null)) ? '.' : dirname(fileURLToPath(import.meta.url));

/** @param {Awaited<ReturnType<typeof verifyPack>>} result */
function* report({ verdict, pack, signed_by, checks, notes, does_not_prove }) {
  if (pack) {
    yield `Pack          ${clean(pack.id, 40)}, ${clean(pack.kind, 40)}${pack.title === null ? '' : `, "${clean(pack.title, 100)}"`}`;
    yield `Organization  ${clean(pack.organization.name, 100)} (${clean(pack.organization.id, 40)}), ${clean(pack.environment, 40)}`;
    yield `Made          ${pack.created_at}`;
    yield `Log           ${clean(pack.log.origin, 200)}, ${count(pack.log.size, 'event')}`;
    yield '';
  }
  for (const { name, result, detail, failed, failures } of checks) {
    yield `${result.toUpperCase()}  ${name.padEnd(14)}${failed > 0 ? count(failed, 'failure') : detail}`;
    for (const { file, line, event_id, message } of failures) {
      const place = [file && clean(file, 120), line && `line ${line}`, event_id && `(${clean(event_id, 40)})`]
        .filter(Boolean)
        .join(' ');
      yield `      ${place}${place && ': '}${clean(message, 300)}`;
    }
    if (failed > failures.length) yield `      and ${failed - failures.length} more`;
  }
  for (const note of notes) yield `NOTE  ${note}`;
  yield '';
  if (verdict === 'verified')
    yield `VERIFIED: every check passed. Signed with ${signed_by.join(' and ')}, which you trust.`;
  else if (verdict === 'failed')
    yield `NOT VERIFIED: ${checks.flatMap(({ name, result }) => (result === 'pass' ? [] : [name])).join(', ')}`;
  else {
    yield 'NOT VERIFIED: all of it fits together, but the key that signed it is unproven, and anybody can make a pack with a key of their own.';
    yield 'Get the keys from the service at an address that you know (GET /v1/keys.json), or from somebody you trust; then use --keys FILE.';
  }
  yield '';
  yield 'What this does not prove';
  for (const sentence of does_not_prove) yield `  ${sentence}`;
}

/** Letters, marks, digits, punctuation and blanks; all else (control, bidi, invisible characters) becomes U+FFFD. @param {string} text @param {number} most */
function clean(text, most) {
  const plain = text.slice(0, most).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '\ufffd');
  return text.length > most ? `${plain}…` : plain;
}

/** JSON without a character that could steer a terminal. @param {unknown} value */
const asciiJson = value =>
  JSON.stringify(value, null, 2).replace(/[^\n -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** @param {string} line */
const print = line => process.stdout.write(`${line}\n`);

/** Whether this is the file that Node.js was started with. */
function isStarted() {
  try {
    return realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
  } catch {
    return false;
  }
}

if (isStarted()) {
  // What ends the process before there is a verdict is no success.
  process.exitCode = 1;
  process.exitCode = await main(process.argv.slice(2));
}
