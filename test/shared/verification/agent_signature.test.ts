import { generateKeyPairSync, hash, sign } from 'node:crypto';
import test from 'ava';
import { agentSignature } from '#shared/verification/agent_signature.ts';
import type { Outcome } from '#shared/verification/verifier.ts';
import {
  agentKey,
  evidenceOf,
  type HttpEvidence,
  occurred_at,
  second,
  shown,
  signedRequest,
  tapLines,
  tapParameters,
  webBotAuthRequest,
} from '#test/helpers/proofs/http.ts';

const ed25519 = await agentKey();
const keys = { ed25519, p256: await agentKey('p256'), rsa: await agentKey('rsa') };
const believed = Object.values(keys).map(key => key.believed);

const judge = async (value: unknown, given: Parameters<typeof shown>[0] = {}): Promise<Outcome> =>
  agentSignature.verify(
    evidenceOf('http.message_signature', value as HttpEvidence),
    shown({ keys: believed, ...given }),
  );

const codes = ({ checks }: Outcome) => checks.flatMap(({ code }) => code ?? []);

for (const [kind, key] of Object.entries(keys)) {
  test(`a request of a paying agent signed with ${kind} is verified, and its nonce is used up`, async t => {
    const outcome = await judge(signedRequest(key, ['"@method": POST', ...tapLines]));
    t.is(outcome.result, 'verified', JSON.stringify(outcome.checks));
    const value = `${key.believed.thumbprint}:e8N7S2MFd/qrd6T2R3tdfA`;
    t.deepEqual(outcome.facts, [{ scope: 'agent_signature_nonce', value, code: 'nonce_reused' }]);
  });
}

for (const key of [keys.ed25519, keys.rsa]) {
  for (const headers of [{}, { 'Signature-Agent': '"https://agents.example"' }] as Record<string, string>[]) {
    test(`what web-bot-auth signs with ${key.believed.jwk.kty}, with ${Object.keys(headers).length} headers, is verified`, async t => {
      const request = await webBotAuthRequest(key, { headers });
      t.is((await judge(request)).result, 'verified');
      t.is((await judge(JSON.stringify(request))).result, 'verified', 'as text');
      t.deepEqual(codes(await judge({ ...request, url: 'https://shop.test/checkout' })), ['signature_mismatch']);
    });
  }
}

test('a key nobody registered leaves it open, and uses up no nonce', async t => {
  const outcome = await judge(signedRequest(ed25519, tapLines), { keys: [] });
  t.is(outcome.result, 'inconclusive');
  t.deepEqual(codes(outcome), ['key_unknown']);
  t.deepEqual(outcome.facts, []);
});

test('evidence that was erased leaves it open', async t => {
  const outcome = await judge(null);
  t.is(outcome.result, 'inconclusive');
  t.deepEqual(codes(outcome), ['evidence_erased']);
});

const at = (changes: Record<string, string | number | null>) =>
  signedRequest(ed25519, tapLines, { parameters: tapParameters(ed25519, changes) });

test('a signature holds until its last second, and from five minutes before its first', async t => {
  t.is((await judge(at({ expires: second }))).result, 'verified');
  t.deepEqual(codes(await judge(at({ expires: second - 1 }))), ['signature_expired']);
  t.is((await judge(at({ created: second + 300, expires: second + 400 }))).result, 'verified');
  t.deepEqual(codes(await judge(at({ created: second + 301, expires: second + 400 }))), ['signature_not_yet_valid']);
});

test('an expired signature fails though its key is unknown', async t => {
  const outcome = await judge(at({ expires: second - 1 }), { keys: [] });
  t.is(outcome.result, 'failed');
  t.deepEqual(codes(outcome), ['signature_expired', 'key_unknown']);
});

for (const [changes, code] of [
  [{ tag: 'http-message-signatures-directory' }, 'tag_not_allowed'],
  [{ tag: null }, 'tag_not_allowed'],
  [{ nonce: null }, 'parameter_missing'],
  [{ expires: null }, 'parameter_missing'],
  [{ alg: 'rsa-v1_5-sha256' }, 'algorithm_not_allowed'],
  [{ alg: 'hmac-sha256' }, 'algorithm_not_allowed'],
  [{ alg: 'none' }, 'algorithm_not_allowed'],
  [{ alg: 'rsa-pss-sha512' }, 'algorithm_mismatch'],
  [{ created: second + 10, expires: second + 9 }, 'malformed'],
  [{ created: String(second) }, 'malformed'],
  [{ keyid: 7 }, 'malformed'],
] as const) {
  test(`a signature with ${JSON.stringify(changes)} fails with ${code}`, async t => {
    const outcome = await judge(at(changes));
    t.is(outcome.result, 'failed');
    t.true(codes(outcome).includes(code), codes(outcome).join());
  });
}

test('what a profile wants covered has to be covered', async t => {
  const missing = async (request: HttpEvidence) => t.deepEqual(codes(await judge(request)), ['component_missing']);
  await missing(signedRequest(ed25519, ['"@authority": shop.example']));
  await missing(signedRequest(ed25519, ['"@path": /checkout']));
  const bot = tapParameters(ed25519, { tag: 'web-bot-auth' });
  await missing(signedRequest(ed25519, ['"@method": POST'], { parameters: bot }));
  const headers = { 'Signature-Agent': '"https://agents.example"' };
  await missing(signedRequest(ed25519, ['"@authority": shop.example'], { parameters: bot, headers }));
});

test('Signature-Agent as a dictionary is covered by the member of the signature', async t => {
  const lines = ['"@authority": shop.example', '"signature-agent";key="sig2": "https://agents.example"'];
  const headers = { 'Signature-Agent': 'sig1="https://other.example", sig2="https://agents.example"' };
  const parameters = tapParameters(ed25519, { tag: 'web-bot-auth' });
  t.is((await judge(signedRequest(ed25519, lines, { headers, parameters }))).result, 'verified');
});

test('a request to another host than the resource that was paid for fails', async t => {
  const request = signedRequest(ed25519, tapLines);
  const paid = (resource_url: string) => judge(request, { event: { resource_url } });
  t.is((await paid('https://SHOP.example:443/other')).result, 'verified');
  t.deepEqual(codes(await paid('https://shop.example.evil.test/checkout')), ['authority_mismatch']);
  t.deepEqual(codes(await paid('https://shop.example:8443/checkout')), ['authority_mismatch']);
});

test('a request to a host that is not the domain of the payee leaves it open', async t => {
  const paid = (key: string) =>
    judge(signedRequest(ed25519, tapLines), { event: { payee: { key, type: null, name: null, country: null } } });
  t.is((await paid('domain:shop.example')).result, 'verified');
  t.is((await paid('domain:api.shop.example')).result, 'verified');
  t.deepEqual(codes(await paid('domain:myshop.example')), ['authority_unconfirmed']);
  t.is((await paid('domain:myshop.example')).result, 'inconclusive');
});

test('a body that is not the one whose digest was signed fails', async t => {
  const body = '{"cart":7}';
  const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
  const lines = [...tapLines, `"content-digest": ${digest}`];
  const request = signedRequest(ed25519, lines, { body, headers: { 'Content-Digest': digest } });
  t.is((await judge(request)).result, 'verified');
  t.deepEqual(codes(await judge({ ...request, body: '{"cart":8}' })), ['digest_mismatch']);
  const old = 'md5=:1B2M2Y8AsgTpgAmY7PhCfg==:';
  const weak = signedRequest(ed25519, [...tapLines, `"content-digest": ${old}`], {
    body,
    headers: { 'content-digest': old },
  });
  t.deepEqual(codes(await judge(weak)), ['digest_algorithm_unknown']);
});

test('of several signatures the one with a believed key counts', async t => {
  const [mine, other] = [signedRequest(ed25519, tapLines), signedRequest(await agentKey(), tapLines)];
  const joined = (name: 'signature' | 'signature-input') =>
    `${other.headers[name].replace('sig2', 'sig1')}, ${mine.headers[name]}`;
  const headers = { signature: joined('signature'), 'signature-input': joined('signature-input') };
  t.is((await judge({ ...mine, headers })).result, 'verified');
  t.is((await judge({ ...mine, headers: Object.entries(headers) })).result, 'verified', 'as pairs');
});

test("parameters signed as Visa's sample agent writes them are verified", async t => {
  const parameters = tapParameters(ed25519).replaceAll(';', '; ').replace('keyid', 'keyId');
  t.is((await judge(signedRequest(ed25519, tapLines, { parameters }))).result, 'verified');
});

test("what Visa's sample agent signs is verified: RSA-PSS with SHA-256, and the query with the path", async t => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { alg: _, ...jwk } = { alg: undefined, ...publicKey.export({ format: 'jwk' }) };
  const sample = (members: object) => ({
    kid: 'primary-rsa',
    thumbprint: 'rsa',
    issuer: null,
    jwk: { ...jwk, ...members },
  });
  const key = {
    believed: sample({}),
    private_jwk: {},
    // 6: RSA_PKCS1_PSS_PADDING, -2: a salt as long as can be
    sign: (base: string) => sign('sha256', Buffer.from(base), { key: privateKey, padding: 6, saltLength: -2 }),
  };
  const parameters = tapParameters(key, { alg: 'rsa-pss-sha256' }).replaceAll(';', '; ').replace('keyid', 'keyId');
  const request = signedRequest(key, ['"@authority": shop.example', '"@path": /checkout?cart=7'], { parameters });
  t.is((await judge(request, { keys: [sample({})] })).result, 'verified');
  t.is((await judge({ ...request, url: `${request.url}1` }, { keys: [sample({})] })).result, 'failed');
  t.deepEqual(codes(await judge(request, { keys: [sample({ alg: 'PS512' })] })), ['algorithm_mismatch']);
});

test('a refund may come after the signature of the payment ran out', async t => {
  const event = { type: 'payment.refunded', status: 'refunded' } as const;
  t.is((await judge(at({ expires: second - 1 }), { event })).result, 'verified');
});

test('parameters sent with spaces are verified as they are serialized', async t => {
  const request = signedRequest(ed25519, tapLines);
  const spaced = request.headers['signature-input'].replaceAll(';', '; ').replace('(', '(  ');
  t.is((await judge({ ...request, headers: { ...request.headers, 'signature-input': spaced } })).result, 'verified');
});

test('only keys for agents are asked for, at the time of the event', async t => {
  const asked: unknown[] = [];
  const input = shown({});
  const find = (query: unknown) => (asked.push(query), []);
  const value = signedRequest(ed25519, tapLines);
  await agentSignature.verify(evidenceOf('http.message_signature', value), { ...input, keys: { ...input.keys, find } });
  t.deepEqual(asked, [{ use: 'agent', kid: ed25519.believed.kid, at: occurred_at }]);
});
