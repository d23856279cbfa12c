import { sign } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { acpAllowance } from '#shared/verification/acp_allowance.ts';
import type { KeyRow } from '#shared/verification/keys.ts';
import { evidenceOf, flipCharacter, newKey, row, shown, summary, type TestKey } from '#test/helpers/proofs/jwt.ts';
import { OCCURRED_AT, reported } from '#test/helpers/proofs/shown.ts';
import { runs } from '#test/helpers/runs.ts';

type Json = Record<string, unknown>;

// Members stand in the order of RFC 8785, so that plain JSON.stringify writes the canonical form that clients sign.
const request = (changes: Json = {}): Json => ({
  allowance: {
    checkout_session_id: 'csn_1',
    currency: 'usd',
    expires_at: '2026-11-20T09:30:00.001Z',
    max_amount: 19_900,
    merchant_id: 'merchant_1',
    reason: 'one_time',
    ...changes,
  },
  metadata: { campaign: 'q4' },
  payment_method: { card_number_type: 'network_token', type: 'card', virtual: true },
  risk_signals: [{ action: 'authorized', score: 10, type: 'card_testing' }],
});

async function verify(value: Json | string | null, event: Partial<ReportedEvent> = {}, keys: readonly KeyRow[] = []) {
  const [piece] = evidenceOf({ 'acp.delegate_payment': value });
  if (!piece) throw new Error('no evidence');
  return acpAllowance.verify(piece, shown([piece], keys, { event: reported(event) }));
}
const result = async (...given: Parameters<typeof verify>) => summary(await verify(...given));

const signature = (key: TestKey, text: string) =>
  sign({ ES256: 'sha256' }[key.alg] ?? null, Buffer.from(text), {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
  }).toString('base64url');

test('an allowance that nobody signed is at most inconclusive', async t => {
  t.is(await result(request()), 'inconclusive unsigned');
  t.is(await result(JSON.stringify(request())), 'inconclusive unsigned');
  t.is(await result({ delegate_payment_request: request() }), 'inconclusive unsigned');
});

test('an allowance that a trusted agent signed is verified, and may be used once', async t => {
  for (const alg of ['EdDSA', 'ES256']) {
    const key = await newKey(alg);
    const headers = { Timestamp: '2026-11-20T09:29:00Z', SIGNATURE: signature(key, JSON.stringify(request())) };
    const keys = [row(await newKey(), 'agent'), row(await newKey('RS256'), 'agent'), row(key, 'agent')];
    const outcome = await verify({ request: request(), headers }, {}, keys);
    t.is(summary(outcome), 'verified');
    t.deepEqual(
      outcome.facts.map(({ scope, code }) => [scope, code]),
      [['acp_allowance', 'allowance_used']],
    );
    t.is(await result({ request: request(), signature: headers.SIGNATURE }, {}, keys), 'verified');
    t.is(await result({ request: request(), headers }, {}, [row(key, 'receipt')]), 'inconclusive key_unknown');
  }
});

test('an allowance that names no checkout is not taken for another of the same terms', async t => {
  t.is((await verify(request())).facts.length, 1);
  t.is((await verify(request({ checkout_session_id: undefined }))).facts.length, 0);
});

test('the same allowance is the same to whoever writes it', async t => {
  const turned = {
    ...request(),
    allowance: Object.fromEntries(Object.entries(request()['allowance'] as Json).toReversed()),
  };
  t.deepEqual((await verify(turned)).facts, (await verify(request())).facts);
  t.notDeepEqual((await verify(request({ checkout_session_id: 'csn_2' }))).facts, (await verify(request())).facts);
});

const usd = (value: bigint) => ({ amount: { value, denomination: 'USD', currency: 'USD', asset: null } });
const payee = (key: string, name: string | null = null) => ({ payee: { key, type: null, name, country: null } });
const cases: [string, Json, Partial<ReportedEvent>, string][] = [
  ['a cent more is paid', {}, usd(19_901n), 'failed amount_exceeded unsigned'],
  ['another currency is paid', { currency: 'eur' }, {}, 'failed currency_mismatch unsigned'],
  ['the currency is in upper case', { currency: 'USD' }, {}, 'failed malformed_allowance unsigned'],
  ['the limit is text', { max_amount: '19900' }, {}, 'failed malformed_allowance unsigned'],
  ['the limit is no whole number', { max_amount: 199.5 }, {}, 'failed malformed_allowance unsigned'],
  ['it is paid when it ends', {}, { occurred_at: OCCURRED_AT + 1 }, 'failed allowance_expired unsigned'],
  ['its end is no time', { expires_at: 'tomorrow' }, {}, 'failed malformed_allowance unsigned'],
  ['it may be used again', { reason: 'subscription' }, {}, 'failed malformed_allowance unsigned'],
  ['another merchant is paid', {}, payee('merchant:stripe:merchant_2'), 'failed payee_mismatch unsigned'],
  ['the merchant is paid by name', {}, payee('domain:x.example', 'Merchant_1'), 'inconclusive unsigned'],
  ['the payee is named in another way', {}, payee('domain:x.example'), 'inconclusive payee_not_comparable unsigned'],
  ['no merchant is named', { merchant_id: '' }, {}, 'failed malformed_allowance unsigned'],
];
for (const [title, changes, event, expected] of cases)
  test(`${expected}: ${title}`, async t => t.is(await result(request(changes), event), expected));

test('what is no request fails', async t => {
  for (const value of ['', '[]', '{"allowance":{},"allowance":{}}', {}, { allowance: [] }, { request: 7 }])
    t.is(await result(value), 'failed malformed_allowance');
  t.is(await result(null), 'inconclusive evidence_erased');
  t.is(await result({ request: request(), signature: 'not base64url!' }), 'failed malformed_signature');
});

test('a signed request with any character changed is never verified', async t => {
  const key = await newKey('EdDSA');
  const text = JSON.stringify({ request: request(), signature: signature(key, JSON.stringify(request())) });
  t.is(await result(text, {}, [row(key, 'agent')]), 'verified');
  await fc.assert(
    fc.asyncProperty(fc.nat(2 ** 31 - 1), async seed => {
      t.not((await verify(flipCharacter(text, seed), {}, [row(key, 'agent')])).result, 'verified');
    }),
    { numRuns: runs(300) },
  );
});
