import test from 'ava';
import { keccak256, toHex } from 'viem';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { type PaymentOptions, signPayment, testUsdc, wallet } from '#test/helpers/proofs/x402.ts';
import { type Flow, flow, noon } from './flow.ts';

type Paid = { at?: number; payment_id?: string; type?: string; value?: string; nonce?: string; forged?: boolean };

/** An x402 payment with what the payer signed, which may be forged. */
async function x402(w: Flow, { at = 0, value = '10000', nonce = 'one', forged = false, ...options }: Paid = {}) {
  const seconds = (noon + at) / 1_000;
  const signed: PaymentOptions = {
    nonce: keccak256(toHex(nonce)),
    valid_after: noon / 1_000 - 600,
    valid_before: seconds + 7_200,
  };
  const { payload } = await signPayment(signed);
  const proof = structuredClone(payload) as { payload: { signature: string } };
  // A good signature of somebody else's.
  if (forged)
    proof.payload.signature = (await signPayment({ ...signed, payer: wallet('thief') })).payload.payload.signature;
  const { network, address } = testUsdc;
  const made = w.pay({ at, rail: 'x402', ...options });
  return {
    ...made,
    payment: {
      ...(made['payment'] as object),
      amount: { value, unit: 'atomic', asset: { network, address } },
      payee: { key: `${network}:${wallet('seller').address}` },
    },
    evidence: [{ kind: 'x402.payment_payload', value: proof }],
  };
}

const verdictOf = async (w: Flow, { id }: { id: string }) => (await w.detail(id)).verification?.result ?? null;

test('a payment with a good signature is verified, and says by which checks', async t => {
  const w = await flow(t);
  const payment = await x402(w);
  await w.send([payment]);
  t.is(await verdictOf(w, payment), null);
  await w.analyze();
  const { verification, verification_runs } = await w.detail(payment.id);
  t.deepEqual(verification, { result: 'verified', kind: 'x402_authorization' });
  t.is(verification_runs.length, 1);
  t.like(verification_runs[0], { event_id: payment.id, kind: 'x402_authorization', result: 'verified' });
  t.true(verification_runs[0].checks.every(({ result }: { result: string }) => result !== 'fail'));
  t.deepEqual((await w.as.get('/v1/events')).body.data[0].verification, verification);
  t.deepEqual(await w.alerts('detector=verification_failed'), []);
});

test('a forged signature and a payment other than was signed raise alerts, the forgery the graver one', async t => {
  const w = await flow(t);
  const forged = await x402(w, { forged: true, nonce: 'f', payment_id: 'forged' });
  const other = await x402(w, { value: '20000', nonce: 'o', payment_id: 'other' });
  await w.send([forged, other]);
  await w.analyze();
  for (const payment of [forged, other]) t.is(await verdictOf(w, payment), 'failed');
  const alerts = await w.alerts('detector=verification_failed');
  t.deepEqual(
    alerts.map(({ event_ids, score, severity }: Record<string, unknown>) => [event_ids, score, severity]).toSorted(),
    [
      [[forged.id], 90, 'critical'],
      [[other.id], 75, 'high'],
    ].toSorted(),
  );
});

for (const [how, limit] of [
  ['in one range', 10],
  ['in two ranges', 1],
] as const)
  test(`an authorization that is used in two payments is a replay in the second, ${how}`, async t => {
    const w = await flow(t);
    // Made later, and reported first.
    const first = await x402(w, { at: MINUTE, payment_id: 'a' });
    const second = await x402(w, { payment_id: 'b' });
    await w.send([first, second]);
    await w.analyze({ limit });
    t.is(await verdictOf(w, first), 'verified');
    t.is(await verdictOf(w, second), 'failed');
    const [run] = (await w.detail(second.id)).verification_runs;
    t.like(run.checks.at(-1), { name: 'single_use', result: 'fail', code: 'nonce_reused' });
    const [alert] = await w.alerts('detector=replayed_authorization');
    t.like(alert, { score: 95, event_ids: [second.id, first.id] });
    t.is((await w.alerts('detector=verification_failed'))[0]?.score, 90);
  });

test('a replay is found by a process that has just started', async t => {
  const w = await flow(t);
  const [first, second] = [await x402(w, { payment_id: 'a' }), await x402(w, { payment_id: 'b' })];
  await w.send([first]);
  await w.analyzeFresh(10);
  await w.send([second]);
  await w.analyzeFresh(10);
  t.deepEqual([await verdictOf(w, first), await verdictOf(w, second)], ['verified', 'failed']);
});

test('the further events of a payment use its authorization again, which is no replay', async t => {
  const w = await flow(t);
  const events = [
    await x402(w, { payment_id: 'a', type: 'payment.authorized' }),
    await x402(w, { payment_id: 'a', at: MINUTE }),
  ];
  await w.send(events);
  await w.analyze({ limit: 1 });
  for (const event of events) t.is(await verdictOf(w, event), 'verified');
  t.deepEqual(await w.alerts('detector=replayed_authorization'), []);
});

test('what is forged does not use up the genuine authorization', async t => {
  const w = await flow(t);
  const forged = await x402(w, { payment_id: 'a', forged: true });
  const genuine = await x402(w, { payment_id: 'b', at: MINUTE });
  await w.send([forged, genuine]);
  await w.analyze();
  t.deepEqual([await verdictOf(w, forged), await verdictOf(w, genuine)], ['failed', 'verified']);
});

test('events that are checked together are each checked by itself, against what was used for good', async t => {
  const w = await flow(t);
  const [one, other] = [await x402(w, { payment_id: 'one' }), await x402(w, { payment_id: 'other' })];
  const preview = async () =>
    (await w.as.post('/v1/events/validate', { events: [one, other] })).body.results.map(
      (result: { verification: { result: string } }) => result.verification.result,
    );
  t.deepEqual(await preview(), ['verified', 'verified']);
  await w.send([one]);
  await w.analyze();
  t.deepEqual(await preview(), ['verified', 'failed']);
});

test('what another organization used is no replay', async t => {
  const w = await flow(t);
  const rival = await w.rival();
  const payment = await x402(w);
  await w.send([payment]);
  await rival.as.post('/v1/events', payment);
  for (const log of [w.tenant, rival.of]) await w.analyze({ of: log });
  for (const client of [w.as, rival.as])
    t.is((await client.get(`/v1/events/${payment.id}`)).body.verification.result, 'verified');
});

test('a transaction that fails after everything was judged leaves nothing behind', async t => {
  const w = await flow(t, { own_database: true });
  await w.mandate([{ type: 'payment.budget', max: '1000', currency: 'USD', interval: 'daily' }]);
  const [a, b] = [await x402(w, { payment_id: 'a' }), w.pay({ at: HOUR, cents: '1000' })];
  await w.send([a, b]);
  await t.throwsAsync(w.analyzeFailing(), { message: 'the power went' });
  for (const table of ['verification_runs', 'single_use_facts', 'mandate_evaluations', 'mandate_payments', 'alerts'])
    t.is(await w.count(table), 0, table);
  await w.analyze();
  t.is(await verdictOf(w, a), 'verified');
  t.deepEqual(await w.results([b]), ['breach budget_exceeded']);
  const next = w.pay({ at: 2 * HOUR, cents: '1' });
  await w.send([next]);
  await w.analyze();
  const [{ observed }] = (await w.detail(next.id)).mandate_evaluations[0].constraints.slice(-1);
  t.is(observed, '1002');
});
