import test from 'ava';
import * as fc from 'fast-check';
import { x402Receipt } from '#shared/verification/x402/receipt.ts';
import type { Evidence, Outcome } from '#shared/verification/verifier.ts';
import {
  type X402EventOptions,
  evidenceOf,
  inputOf,
  paidAt,
  paymentEvent,
  signPayment,
  usdc,
  wallet,
} from '#test/helpers/proofs/x402.ts';
import { signOffer, signReceipt } from '#test/helpers/proofs/x402_receipts.ts';
import { runs } from '#test/helpers/runs.ts';

type Shown = { event?: X402EventOptions; more?: Evidence[] };

async function verify(
  kind: 'x402.offer' | 'x402.receipt',
  value: Evidence['value'],
  { event, more = [] }: Shown = {},
): Promise<Outcome> {
  const evidence = evidenceOf(kind, value);
  return x402Receipt.verify(evidence, inputOf(paymentEvent(event), [evidence, ...more]));
}

const codes = ({ checks }: Outcome) => checks.flatMap(({ code }) => code ?? []);
const payment = async () => {
  const { payload, required } = await signPayment();
  return [evidenceOf('x402.payment_payload', payload), evidenceOf('x402.payment_required', required)];
};

test('an offer that the payee signed is verified, with the payment made on it and without', async t => {
  t.is((await verify('x402.offer', await signOffer())).result, 'verified');
  t.is((await verify('x402.offer', JSON.stringify(await signOffer()), { more: await payment() })).result, 'verified');
  t.is((await verify('x402.offer', await signOffer({ validUntil: 0 }))).result, 'verified', 'zero is no end');
});

test('a receipt that the payee signed is verified, and proves one payment only', async t => {
  const receipt = await signReceipt();
  const outcome = await verify('x402.receipt', receipt, { more: await payment() });
  t.is(outcome.result, 'verified');
  t.deepEqual(
    outcome.facts.map(({ scope, code }) => [scope, code]),
    [['x402_receipt', 'receipt_reused']],
  );
  const other = await verify('x402.receipt', await signReceipt({ issuedAt: paidAt + 3 }));
  t.not(other.facts[0]?.value, outcome.facts[0]?.value);
});

test('an offer of other terms than those that were paid fails', async t => {
  const thief = wallet('thief');
  for (const [change, more] of [
    [{ amount: '9999' }, []],
    [{ amount: '10001' }, await payment()],
    [{ asset: usdc.address }, []],
    [{ network: 'eip155:8453' }, []],
    [{ scheme: 'upto' }, await payment()],
    [{ resourceUrl: 'https://api.example.com/other' }, await payment()],
  ] as const) {
    const outcome = await verify('x402.offer', await signOffer(change), { more: [...more] });
    t.is(outcome.result, 'failed', JSON.stringify(change));
    t.is(codes(outcome)[0], 'offer_terms_mismatch', JSON.stringify(change));
  }
  const diverted = await verify('x402.offer', await signOffer({ payTo: thief.address }, thief));
  t.deepEqual([diverted.result, ...codes(diverted)], ['failed', 'offer_terms_mismatch']);
});

test('an offer is good until its last second', async t => {
  const offer = await signOffer();
  t.is((await verify('x402.offer', offer, { event: { at: paidAt + 60 } })).result, 'verified');
  const late = await verify('x402.offer', offer, { event: { at: paidAt + 61 } });
  t.deepEqual([late.result, ...codes(late)], ['failed', 'offer_expired']);
});

test('an offer or receipt that somebody else signed fails', async t => {
  for (const [kind, value] of [
    ['x402.offer', await signOffer({}, wallet('thief'))],
    ['x402.receipt', await signReceipt({}, wallet('thief'))],
  ] as const) {
    const outcome = await verify(kind, value, { more: await payment() });
    t.deepEqual([outcome.result, ...codes(outcome)], ['failed', 'receipt_signer_unauthorized']);
    t.deepEqual(outcome.facts, []);
  }
});

test('a receipt for another payment fails', async t => {
  const settlement = { success: true, transaction: `0x${'ab'.repeat(32)}`, network: 'eip155:84532' };
  const more = [...(await payment()), evidenceOf('x402.settlement_response', settlement)];
  t.is(
    (await verify('x402.receipt', await signReceipt({ transaction: settlement.transaction }), { more })).result,
    'verified',
  );
  for (const [change, code] of [
    [{ payer: wallet('other').address }, 'receipt_mismatch'],
    [{ network: 'eip155:8453' }, 'receipt_mismatch'],
    [{ resourceUrl: 'https://api.example.com/other' }, 'receipt_mismatch'],
    [{ transaction: `0x${'cd'.repeat(32)}` }, 'receipt_mismatch'],
    [{ issuedAt: paidAt - 3_601 }, 'timestamp_out_of_range'],
    [{ issuedAt: paidAt + 3_601 }, 'timestamp_out_of_range'],
  ] as const) {
    const outcome = await verify('x402.receipt', await signReceipt(change), { more });
    t.is(outcome.result, 'failed', JSON.stringify(change));
    t.true(codes(outcome).includes(code), String(codes(outcome)));
  }
  const failed = { type: 'payment.failed', status: 'failed' } as const;
  t.deepEqual(codes(await verify('x402.receipt', await signReceipt(), { event: failed })), ['receipt_status_conflict']);
});

test('a seller behind a proxy may take https for http, and the event may know the resource by another name', async t => {
  const signed = await signReceipt({ resourceUrl: 'http://api.example.com/premium-data' });
  const asked = (resource_url: string) => verify('x402.receipt', signed, { event: { resource_url } });
  t.is((await asked('https://api.example.com/premium-data?page=2')).result, 'verified');
  t.is((await asked('https://api.example.com/other')).result, 'failed');
  const more = await payment();
  const other = await verify('x402.receipt', signed, { event: { resource_url: 'https://other.example/x' }, more });
  t.deepEqual([other.result, ...codes(other)], ['inconclusive', 'resource_unconfirmed']);
});

test('a receipt for a resource elsewhere does not prove a payment to a domain', async t => {
  const payee = { key: 'domain:good.example', type: null, name: null, country: null };
  const outcome = await verify('x402.receipt', await signReceipt(), { event: { payee }, more: await payment() });
  t.deepEqual([outcome.result, ...codes(outcome)], ['inconclusive', 'payee_not_comparable']);
  const own = { ...payee, key: 'domain:example.com' };
  const fits = await verify('x402.receipt', await signReceipt(), { event: { payee: own }, more: await payment() });
  t.deepEqual([fits.result, ...codes(fits)], ['inconclusive', 'payee_unconfirmed']);
});

test('who signed for a payee without an account is not guessed', async t => {
  const payee = { key: 'merchant:stripe:acct_1', type: null, name: null, country: null };
  const outcome = await verify('x402.receipt', await signReceipt(), { event: { payee } });
  t.deepEqual([outcome.result, ...codes(outcome)], ['inconclusive', 'payee_not_comparable']);
});

test('offers and receipts that are none fail', async t => {
  const offer = await signOffer();
  const [receipt, order] = [await signReceipt(), 2n ** 256n - 432420386565659656852420866394968145599n];
  const s = BigInt(`0x${offer.signature.slice(66, 130)}`);
  const malleable = `${offer.signature.slice(0, 66)}${(order - s).toString(16).padStart(64, '0')}${offer.signature.endsWith('1b') ? '1c' : '1b'}`;
  for (const [value, code] of [
    ['', 'invalid_payload'],
    ['{"format":"eip712","format":"jws"}', 'invalid_payload'],
    [{}, 'invalid_payload'],
    [{ ...offer, format: 'pgp' }, 'invalid_payload'],
    [{ ...offer, payload: undefined }, 'invalid_payload'],
    [{ ...offer, payload: { ...offer.payload, version: 2 } }, 'invalid_payload'],
    [{ ...offer, payload: { ...offer.payload, amount: '010000' } }, 'invalid_payload'],
    [{ ...offer, payload: { ...offer.payload, network: 'base-sepolia' } }, 'invalid_payload'],
    [{ ...offer, payload: { ...offer.payload, discount: '100%' } }, 'invalid_payload'],
    [{ ...offer, payload: { ...offer.payload, validUntil: 1e300 } }, 'invalid_payload'],
    [{ ...offer, payload: receipt.payload }, 'invalid_payload'],
    [{ ...offer, signature: '0x12' }, 'invalid_signature'],
    [{ ...offer, signature: malleable }, 'invalid_signature'],
    [{ ...offer, signature: receipt.signature }, 'receipt_signer_unauthorized'],
  ] as [Evidence['value'], string][]) {
    const outcome = await verify('x402.offer', value);
    t.deepEqual([outcome.result, ...codes(outcome)], ['failed', code], JSON.stringify(value).slice(0, 200));
  }
  t.is((await verify('x402.receipt', { ...receipt, payload: { ...receipt.payload, payer: '' } })).result, 'failed');
  t.is((await verify('x402.offer', null)).result, 'inconclusive');
});

test('a receipt with any byte changed is never verified', async t => {
  const { payload, signature } = await signReceipt();
  const json = JSON.stringify({ payload, signature, format: 'eip712' });
  t.is((await verify('x402.receipt', json)).result, 'verified');
  await fc.assert(
    fc.asyncProperty(fc.nat(json.length - 1), fc.integer({ min: 1, max: 127 }), async (at, flip) => {
      const changed = json.slice(0, at) + String.fromCharCode(json.charCodeAt(at) ^ flip) + json.slice(at + 1);
      // Hex is the same in any case.
      const same = changed.toLowerCase() === json.toLowerCase();
      if (!same) t.not((await verify('x402.receipt', changed)).result, 'verified', changed);
    }),
    { numRuns: runs(400) },
  );
});

test('whatever stands where an offer or receipt should be, the answer is a result', async t => {
  const kind = fc.constantFrom('x402.offer' as const, 'x402.receipt' as const);
  await fc.assert(
    fc.asyncProperty(kind, fc.oneof(fc.string(), fc.object()), async (which, value) => {
      t.is((await verify(which, value as Evidence['value'])).result, 'failed');
    }),
    { numRuns: 200 },
  );
  const offer = await signOffer();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(offer.payload)), fc.jsonValue(), async (name, value) => {
      const outcome = await verify('x402.offer', { ...offer, payload: { ...offer.payload, [name]: value } });
      t.is(outcome.result, 'failed');
    }),
    { numRuns: 200 },
  );
});
