import test from 'ava';
import * as fc from 'fast-check';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { ap2Receipt } from '#shared/verification/ap2/ap2_receipt.ts';
import type { KeyRow } from '#shared/verification/keys.ts';
import { checkoutChain, checkoutJwt, digest, newParty, paymentChain } from '#test/helpers/proofs/ap2.ts';
import { evidenceOf, flipCharacter, newKey, row, shown, signJwt, signRaw, summary } from '#test/helpers/proofs/jwt.ts';
import { reported, SECONDS } from '#test/helpers/proofs/shown.ts';
import { runs } from '#test/helpers/runs.ts';

const party = await newParty();
const psp = await newKey();
const trusted = [row(psp, 'receipt', { issuer: 'https://psp.example' })];
const mandate = await paymentChain(party);
const closed = mandate.split('~~')[1] ?? '';

const receipt = (changes: object = {}, header: object = {}) =>
  signJwt(
    psp,
    {
      status: 'Success',
      iss: 'https://psp.example',
      iat: SECONDS + 2,
      reference: digest(closed),
      payment_id: 'pay_1',
      psp_confirmation_id: 'ch_1',
      network_confirmation_id: 'net_1',
      ...changes,
    },
    header,
  );

async function verify(
  value: string | null,
  event: Partial<ReportedEvent> = {},
  keys: readonly KeyRow[] = trusted,
  others: Record<string, string | null> = { 'ap2.payment_mandate': mandate },
) {
  const evidence = evidenceOf({ 'ap2.payment_receipt': value, ...others });
  const [piece] = evidence;
  if (!piece) throw new Error('no evidence');
  return ap2Receipt.verify(piece, shown(evidence, keys, { event: reported(event) }));
}
const result = async (...given: Parameters<typeof verify>) => summary(await verify(...given));

test('a receipt of the mandate that was reported is verified, and may be used once', async t => {
  const outcome = await verify(await receipt());
  t.is(summary(outcome), 'verified');
  t.deepEqual(
    outcome.facts.map(({ scope, code }) => [scope, code]),
    [['ap2_receipt', 'receipt_replayed']],
  );
});

test('the mandate may be referred to by its JWT alone, as the SDK does', async t => {
  t.is(await result(await receipt({ reference: digest(closed.split('~')[0] ?? '') })), 'verified');
});

test('a receipt of another mandate, or of none, is refused', async t => {
  for (const reference of [digest(mandate), 'x', undefined, 7])
    t.is(await result(await receipt({ reference })), 'failed receipt_reference_mismatch');
});

test('without the mandate it cannot be known what it is a receipt of', async t => {
  t.is(await result(await receipt(), {}, trusted, {}), 'inconclusive mandate_missing');
  t.is(await result(await receipt(), {}, trusted, { 'ap2.payment_mandate': null }), 'inconclusive mandate_missing');
  t.is(await result(await receipt(), {}, trusted, { 'ap2.checkout_mandate': mandate }), 'inconclusive mandate_missing');
});

test('a checkout receipt is of the checkout mandate, and names no payment', async t => {
  const checkout = await checkoutChain(party, await checkoutJwt(party));
  const text = await receipt({
    reference: digest(checkout.split('~~')[1] ?? ''),
    payment_id: undefined,
    order_id: 'ord_1',
  });
  const evidence = evidenceOf({ 'ap2.checkout_receipt': text, 'ap2.checkout_mandate': checkout });
  const [piece] = evidence;
  t.is(piece && summary(await ap2Receipt.verify(piece, shown(evidence, trusted))), 'verified');
});

const statuses: [string, ReportedEvent['status'], string][] = [
  ['Success', 'authorized', 'verified'],
  ['Success', 'refunded', 'verified'],
  ['Success', 'canceled', 'verified'],
  ['Success', 'failed', 'failed receipt_status_conflict'],
  ['Error', 'failed', 'verified'],
  ['Error', 'settled', 'failed receipt_status_conflict'],
  ['success', 'settled', 'failed malformed_token'],
];
for (const [status, reportedStatus, expected] of statuses)
  test(`${expected}: the receipt says ${status}, the event ${reportedStatus}`, async t => {
    t.is(await result(await receipt({ status }), { status: reportedStatus }), expected);
  });

test('the payment is known by any of its ids, and by no other', async t => {
  t.is(await result(await receipt(), { payment_id: 'ch_1' }), 'verified');
  // Issuers number payments for themselves.
  t.is(await result(await receipt(), { payment_id: 'pay_2' }), 'verified');
});

test('only a key that is trusted for receipts can have signed it', async t => {
  t.is(await result(await receipt(), {}, []), 'inconclusive issuer_key_unknown');
  t.is(await result(await receipt(), {}, [row(psp, 'ap2_issuer')]), 'inconclusive issuer_key_unknown');
  t.is(await result(await receipt({ iss: 'https://other.example' })), 'failed issuer_mismatch');
  t.is(
    await result(await receipt(), {}, [row(await newKey(), 'receipt', { kid: psp.kid })]),
    'failed signature_mismatch',
  );
  t.is(
    await result(signRaw(psp, '{"alg":"none"}', '{}')),
    'failed algorithm_not_allowed malformed_token receipt_reference_mismatch',
  );
  t.is((await verify(await receipt(), {}, [])).facts.length, 0);
});

test('what is no receipt fails, and what was erased is not known', async t => {
  for (const value of ['', 'a.b.c', mandate]) t.is(await result(value), 'failed malformed_token');
  t.is(await result(await receipt({ iat: undefined })), 'failed malformed_token');
  t.is(await result(null), 'inconclusive evidence_erased');
});

test('a receipt with any character changed is never verified', async t => {
  const sound = await receipt();
  await fc.assert(
    fc.asyncProperty(fc.nat(2 ** 31 - 1), async seed => {
      t.not((await verify(flipCharacter(sound, seed))).result, 'verified');
    }),
    { numRuns: runs(300) },
  );
});
