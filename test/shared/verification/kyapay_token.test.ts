import test from 'ava';
import * as fc from 'fast-check';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { KeyRow } from '#shared/verification/keys.ts';
import { kyapayToken } from '#shared/verification/kyapay_token.ts';
import { evidenceOf, flipCharacter, newKey, row, shown, signJwt, signRaw, summary } from '#test/helpers/proofs/jwt.ts';
import { reported, SECONDS } from '#test/helpers/proofs/shown.ts';
import { runs } from '#test/helpers/runs.ts';

const key = await newKey();
const trusted = [row(key, 'kyapay', { issuer: 'https://issuer.example' })];

const claims = (changes: object = {}) => ({
  iss: 'https://issuer.example',
  sub: 'buyer',
  aud: 'seller',
  iat: SECONDS - 10,
  exp: SECONDS + 290,
  jti: 'b9821893-7699-4d24-af06-803a6a16476b',
  env: 'sandbox',
  amt: '199',
  cur: 'USD',
  val: '199000000',
  stp: 'coin',
  sti: { type: 'usdc' },
  ...changes,
});
const token = (changes: object = {}, header: object = {}) =>
  signJwt(key, claims(changes), { typ: 'pay+jwt', ...header });

async function verify(
  value: string | Record<string, unknown> | null,
  event: Partial<ReportedEvent> = {},
  keys: readonly KeyRow[] = trusted,
) {
  const [piece] = evidenceOf({ 'kyapay.token': value });
  if (!piece) throw new Error('no evidence');
  return kyapayToken.verify(piece, shown([piece], keys, { event: reported(event) }));
}
const result = async (...given: Parameters<typeof verify>) => summary(await verify(...given));

test('a token that covers the payment is verified, and may be used once', async t => {
  const outcome = await verify(await token());
  t.is(summary(outcome), 'verified');
  t.deepEqual(outcome.facts, [
    {
      scope: 'kyapay_jti',
      value: '["https://issuer.example","b9821893-7699-4d24-af06-803a6a16476b"]',
      code: 'token_replayed',
    },
  ]);
});

const usd = (value: bigint) => ({ amount: { value, denomination: 'USD', currency: 'USD', asset: null } });
const yen = (value: bigint) => ({ amount: { value, denomination: 'JPY', currency: 'JPY', asset: null } });
const usdc = (value: bigint, address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913') => ({
  amount: {
    value,
    denomination: `eip155:8453/${address}`,
    currency: null,
    asset: { network: 'eip155:8453', address, decimals: 6 },
  },
});
const amounts: [string, object, Partial<ReportedEvent>, string][] = [
  ['a cent more than it is good for', {}, usd(19_901n), 'failed amount_exceeded'],
  ['less than it is good for', {}, usd(1n), 'verified'],
  ['what a token of the first drafts is good for', { amt: undefined, amount: '199.000000' }, usd(19_900n), 'verified'],
  ['a fraction of a cent more', { amt: '198.999' }, usd(19_900n), 'failed amount_exceeded'],
  ['yen, which have no cents', { amt: '500', cur: 'JPY' }, yen(500n), 'verified'],
  ['one yen too many', { amt: '500.99', cur: 'JPY' }, yen(501n), 'failed amount_exceeded'],
  ['another currency', { cur: 'EUR' }, usd(1n), 'failed currency_mismatch'],
  ['the token of the settlement network', {}, usdc(199_000_000n), 'verified'],
  ['a unit more of it', {}, usdc(199_000_001n), 'failed amount_exceeded'],
  [
    'a token that it does not name',
    {},
    usdc(1n, '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42'),
    'inconclusive amount_not_comparable',
  ],
  ['with a number for an amount', { amt: 199 }, {}, 'failed malformed_token'],
  ['with an exponent', { amt: '2e2' }, {}, 'failed malformed_token'],
  ['with nothing', { amt: '0.00' }, {}, 'failed malformed_token'],
  ['with two amounts', { amount: '1' }, {}, 'failed malformed_token'],
  ['without an amount', { amt: undefined }, {}, 'failed malformed_token'],
];
for (const [title, changes, event, expected] of amounts)
  test(`${expected}: the payment is of ${title}`, async t => t.is(await result(await token(changes), event), expected));

test('a token of identity says nothing of amounts', async t => {
  t.is(await result(await token({ amt: undefined, cur: undefined }, { typ: 'kya+JWT' })), 'verified');
  t.is(await result(await token({}, { typ: 'kya-pay+jwt' })), 'verified');
  t.is(await result(await token({}, { typ: 'JWT' })), 'failed malformed_token');
});

test('a token is over at the second it ends', async t => {
  t.is(await result(await token({ exp: SECONDS + 1 })), 'verified');
  t.is(await result(await token({ exp: SECONDS })), 'failed token_expired');
  t.is(await result(await token({ nbf: SECONDS })), 'verified');
  t.is(await result(await token({ nbf: SECONDS + 1 })), 'failed token_not_valid');
  t.is(await result(await token({ iat: SECONDS + 301 })), 'failed token_not_valid');
  t.is(await result(await token({ exp: undefined })), 'failed malformed_token');
  t.is(await result(await token({ exp: String(SECONDS + 10) })), 'failed malformed_token');
});

test('only a key of its issuer can have signed it, with ES256', async t => {
  t.is(await result(await token(), {}, []), 'inconclusive issuer_key_unknown');
  t.is(await result(await token(), {}, [row(key, 'agent')]), 'inconclusive issuer_key_unknown');
  t.is(await result(await token({ iss: 'https://other.example' })), 'failed issuer_mismatch');
  t.is(await result(await token(), {}, [row(await newKey(), 'kyapay', { kid: key.kid })]), 'failed signature_mismatch');
  const ed25519 = await newKey('EdDSA');
  t.is(
    await result(await signJwt(ed25519, claims(), { typ: 'pay+jwt' }), {}, [row(ed25519, 'kyapay')]),
    'failed algorithm_not_allowed',
  );
  const none = signRaw(key, '{"alg":"none","typ":"pay+jwt"}', JSON.stringify(claims()));
  t.is(await result(none), 'failed algorithm_not_allowed');
});

test('environment and payee are held against the event where it says as much', async t => {
  const payee = (name: string) => ({ payee: { key: name, type: null, name: null, country: null } });
  t.is(await result(await token({ env: 'production' })), 'failed environment_mismatch');
  t.is(await result(await token({ env: undefined })), 'verified');
  t.is(await result(await token(), payee('merchant:skyfire:seller')), 'verified');
  t.is(await result(await token(), payee('merchant:skyfire:other')), 'failed payee_mismatch');
  t.is(await result(await token({ tdm: 'www.Shop.example' }), payee('domain:shop.example')), 'verified');
  t.is(await result(await token({ tdm: 'shop.example' }), payee('domain:x.shop.example')), 'failed payee_mismatch');
  t.is(await result(await token({ sdm: 'shop.example' }), payee('domain:x.shop.example')), 'failed payee_mismatch');
});

test('a token without an id, or that is none, fails', async t => {
  t.is(await result(await token({ jti: undefined })), 'failed malformed_token');
  for (const value of ['', 'a.b.c', {}]) t.is(await result(value), 'failed malformed_token');
  t.is(await result(null), 'inconclusive evidence_erased');
  t.is((await verify(await token(), {}, [])).facts.length, 0);
});

test('a token with any character changed is never verified', async t => {
  const sound = await token();
  await fc.assert(
    fc.asyncProperty(fc.nat(2 ** 31 - 1), async seed => {
      t.not((await verify(flipCharacter(sound, seed))).result, 'verified');
    }),
    { numRuns: runs(300) },
  );
});
