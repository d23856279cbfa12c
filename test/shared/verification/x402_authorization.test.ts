import test from 'ava';
import { x402Authorization } from '#shared/verification/x402/authorization.ts';
import type { Evidence, Outcome } from '#shared/verification/verifier.ts';
import {
  type X402EventOptions,
  evidenceOf,
  inputOf,
  paidAt,
  paymentEvent,
  signPayment,
  testUsdc,
  usdc,
  wallet,
} from '#test/helpers/proofs/x402.ts';

type Shown = { event?: X402EventOptions; more?: Evidence[] };

async function verify(value: Evidence['value'], { event, more = [] }: Shown = {}): Promise<Outcome> {
  const evidence = evidenceOf('x402.payment_payload', value);
  return x402Authorization.verify(evidence, inputOf(paymentEvent(event), [evidence, ...more]));
}

const codes = ({ checks }: Outcome) => checks.flatMap(({ code }) => code ?? []);
const required = (value: Evidence['value']) => evidenceOf('x402.payment_required', value);

test('a payment that the payer signed is verified, in both versions of x402', async t => {
  const { payload, payload_v1, required: v2, required_v1 } = await signPayment();
  t.is((await verify(payload)).result, 'verified');
  t.is((await verify(payload, { more: [required(v2)] })).result, 'verified');
  t.is((await verify(payload_v1)).result, 'verified', 'the event names the asset');
  t.is(
    (await verify({ ...payload_v1, network: 'base-sepolia' }, { more: [required(required_v1)] })).result,
    'verified',
  );
});

test('a payment is read from JSON and from an X-PAYMENT header too', async t => {
  const json = JSON.stringify((await signPayment()).payload);
  t.is((await verify(json)).result, 'verified');
  t.is((await verify(Buffer.from(json).toString('base64'))).result, 'verified');
  t.is((await verify(Buffer.from(json).toString('base64url'))).result, 'verified');
});

test('each token is held to its own signing domain, not to the name the seller gives it', async t => {
  const main = await signPayment({ asset: usdc });
  t.is((await verify(main.payload, { event: { asset: usdc } })).result, 'verified');
  const renamed = await signPayment({ asset: { ...testUsdc, name: 'USD Coin' } });
  const outcome = await verify(renamed.payload);
  t.is(outcome.result, 'failed');
  t.deepEqual(codes(outcome), ['invalid_exact_evm_token_name_mismatch', 'invalid_exact_evm_payload_signature']);
});

test('a token whose signing domain is not known leaves the payment inconclusive', async t => {
  const asset = { network: 'eip155:8453', address: '0x1111111111111111111111111111111111111111', name: 'USD Coin' };
  const outcome = await verify((await signPayment({ asset })).payload, { event: { asset } });
  t.is(outcome.result, 'inconclusive');
  t.deepEqual(codes(outcome), ['eip712_domain_unknown']);
});

test('Permit2 payments are verified, exact and upto', async t => {
  const exact = await signPayment({ method: 'permit2' });
  t.is((await verify(exact.payload, { more: [required(exact.required)] })).result, 'verified');
  const upto = await signPayment({ scheme: 'upto', value: 5_000_000n });
  t.is((await verify(upto.payload, { event: { value: 1_234n } })).result, 'verified');
  t.is((await verify(upto.payload, { event: { value: 5_000_000n } })).result, 'verified');
  const over = await verify(upto.payload, { event: { value: 5_000_001n } });
  t.deepEqual([over.result, ...codes(over)], ['failed', 'invalid_upto_evm_payload_settlement_exceeds_amount']);
});

test('a Permit2 payment that anybody but the proxy of x402 may move is refused', async t => {
  const { payload } = await signPayment({ method: 'permit2', spender: wallet('thief').address });
  t.deepEqual(codes(await verify(payload)), ['invalid_permit2_spender']);
});

test('what was signed has to be the payment that was reported', async t => {
  const { payload } = await signPayment();
  for (const [event, code] of [
    [{ value: 9_999n }, 'invalid_exact_evm_payload_authorization_value_mismatch'],
    [{ value: 10_001n }, 'invalid_exact_evm_payload_authorization_value_mismatch'],
    [{ seller: wallet('somebody else').address }, 'invalid_exact_evm_payload_recipient_mismatch'],
    [{ asset: { ...testUsdc, address: usdc.address } }, 'asset_mismatch'],
    [{ asset: usdc }, 'invalid_network'],
    [{ at: paidAt - 601 }, 'invalid_exact_evm_payload_authorization_valid_after'],
    [{ at: paidAt + 67 }, 'invalid_exact_evm_payload_authorization_valid_before'],
  ] as const) {
    const outcome = await verify(payload, { event });
    t.is(outcome.result, 'failed', code);
    t.true(codes(outcome).includes(code), `${codes(outcome)} should have ${code}`);
  }
});

test('an authorization is valid from its first second to its last, and is never verified one second later', async t => {
  const { payload } = await signPayment();
  t.is((await verify(payload, { event: { at: paidAt - 600 } })).result, 'verified');
  t.is((await verify(payload, { event: { at: paidAt + 60 } })).result, 'verified');
  const late = await verify(payload, { event: { at: paidAt + 61 } });
  t.deepEqual([late.result, ...codes(late)], ['inconclusive', 'invalid_exact_evm_payload_authorization_valid_before']);
  t.is((await verify(payload, { event: { at: paidAt + 66 } })).result, 'inconclusive');
  t.is((await verify(payload, { event: { at: paidAt + 67 } })).result, 'failed');
});

test('a refund may be of a part of the payment and come after the authorization ran out', async t => {
  const { payload } = await signPayment();
  const at = paidAt + 86_400;
  const refund = { type: 'payment.refunded', status: 'refunded', at } as const;
  t.is((await verify(payload, { event: { ...refund, value: 4_000n } })).result, 'verified');
  t.is((await verify(payload, { event: { ...refund, value: 10_001n } })).result, 'failed');
  t.is((await verify(payload, { event: { type: 'payment.failed', status: 'failed', at } })).result, 'verified');
});

test('dollars are compared with dollar tokens to the millionth; other currencies cannot be', async t => {
  const { payload } = await signPayment();
  const amount = { value: 1n, denomination: 'USD', currency: 'USD', asset: null };
  t.is((await verify(payload, { event: { amount, usd_micro: 10_000n } })).result, 'verified');
  t.is((await verify(payload, { event: { amount: { ...amount, value: 2n }, usd_micro: 20_000n } })).result, 'failed');
  const euro = { ...amount, denomination: 'EUR', currency: 'EUR' };
  t.deepEqual(codes(await verify(payload, { event: { amount: euro, usd_micro: 10_800n } })), ['amount_not_comparable']);
});

test('that a domain asked to be paid at an address is said by nobody who signed, and stays open', async t => {
  const { payload } = await signPayment();
  const payee = { type: null, name: null, country: null };
  const by = (key: string) => verify(payload, { event: { payee: { ...payee, key } } });
  t.deepEqual(codes(await by('domain:api.example.com')), ['payee_unconfirmed']);
  t.deepEqual(codes(await by('domain:example.com')), ['payee_unconfirmed']);
  t.deepEqual(codes(await by('domain:other.example')), ['payee_not_comparable']);
  for (const key of ['merchant:stripe:acct_1', 'account:ach:021000021-1', 'Weather API', 'acme:weather:api'])
    t.deepEqual(codes(await by(key)), ['payee_not_comparable'], key);
});

test('terms that the seller did not offer fail, whichever of them was changed', async t => {
  const { payload, payload_v1, required: offered, required_v1 } = await signPayment();
  const [terms] = offered.accepts;
  for (const change of [
    { amount: '9999' },
    { payTo: wallet('thief').address },
    { network: 'eip155:8453' },
    { asset: usdc.address },
    { scheme: 'upto' },
    { maxTimeoutSeconds: 61 },
    { extra: { ...terms?.extra, name: 'Other' } },
  ]) {
    const outcome = await verify(payload, { more: [required({ ...offered, accepts: [{ ...terms, ...change }] })] });
    t.deepEqual([outcome.result, ...codes(outcome)], ['failed', 'accepted_not_offered'], JSON.stringify(change));
  }
  t.deepEqual(codes(await verify(payload, { more: [required('{"accepts":1}')] })), ['invalid_payment_requirements']);
  t.is((await verify(payload, { more: [required(null)] })).result, 'inconclusive');
  const dearer = { ...required_v1, accepts: [{ ...required_v1.accepts[0], maxAmountRequired: '20000' }] };
  t.is((await verify(payload_v1, { more: [required(dearer)] })).result, 'failed');
});

test('a nonce is told by network, token and payer; Permit2 counts them for an owner on a chain', async t => {
  const [eip3009, permit2] = [await signPayment(), await signPayment({ method: 'permit2' })];
  const payer = wallet('payer').address.toLowerCase();
  const nonce =
    'nonce' in eip3009.payload.payload ? '' : String(Object(eip3009.payload.payload)['authorization'].nonce);
  const value = `eip155:84532/${testUsdc.address.toLowerCase()}/${payer}/${nonce}`;
  t.deepEqual((await verify(eip3009.payload)).facts, [{ scope: 'x402_nonce', value, code: 'nonce_reused' }]);
  const owner = { scope: 'permit2_nonce', value: `eip155:84532/${payer}/${BigInt(nonce)}`, code: 'nonce_reused' };
  t.deepEqual((await verify(permit2.payload)).facts, [owner]);
});

test('a payload that nobody is known to have signed uses up itself, not the nonce of its owner', async t => {
  const { payload } = await signPayment();
  const made = (tail: string) => ({ ...payload, payload: { ...payload.payload, signature: `0x${tail.repeat(70)}` } });
  const [own] = (await verify(payload)).facts;
  const [forged] = (await verify(made('11'))).facts;
  t.deepEqual([own?.scope, forged?.scope], ['x402_nonce', 'x402_nonce_unproven']);
  t.deepEqual((await verify(made('11'))).facts, [forged], 'the same again is a replay');
  t.notDeepEqual((await verify(made('22'))).facts, [forged]);
});

test('payments that only a chain can judge are inconclusive, not failed', async t => {
  const { payload } = await signPayment();
  const contract = { ...payload, payload: { ...payload.payload, signature: `${payload.payload.signature}00` } };
  t.deepEqual(codes(await verify(contract)), ['contract_signature']);
  const account = wallet('smart account').address;
  const delegation = { delegationManager: account, delegator: account, permissionContext: '0x00' };
  t.deepEqual(codes(await verify({ ...payload, payload: delegation })), ['delegation_needs_chain']);
});

test('a Solana payment is inconclusive when its terms fit, and failed when they do not', async t => {
  const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  const asset = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const seller = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4';
  const accepted = { scheme: 'exact', network, amount: '1000', asset, payTo: seller, maxTimeoutSeconds: 60 };
  const payload = { x402Version: 2, accepted, payload: { transaction: 'AAAA' } };
  const event = { asset: { network, address: asset }, seller, value: 1_000n };
  const outcome = await verify(payload, { event });
  t.deepEqual([outcome.result, ...codes(outcome)], ['inconclusive', 'network_not_supported']);
  t.is((await verify(payload, { event: { ...event, value: 1_001n } })).result, 'failed');
  // Version 1 names no asset: that of the event counts, in which upper and lower case are two letters.
  const first = { x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction: 'AAAA' } };
  const alone = await verify(first, { event });
  t.deepEqual([alone.result, ...codes(alone)], ['inconclusive', 'network_not_supported', 'amount_not_comparable']);
});
