import test from 'ava';
import { adyenItem, byAdyen, byStripe, stripe, stripeEvent } from '#test/helpers/psp.ts';
import { hex, ofAdyen, ofStripe, secret, withSource } from '#test/helpers/psp_source.ts';

/** What each payment was settled for, in minor units, by the events. */
const settledOf = (events: { type: string; payment: { payment_id: string; amount: { value: string } } }[]) =>
  events
    .filter(({ type }) => type === 'payment.settled')
    .map(({ payment }) => `${payment.payment_id} ${payment.amount.value}`)
    .toSorted();

test('an authorization of an issued card that is captured in parts costs what was captured, and contradicts nothing', async t => {
  const { as, send, events, analyze } = await withSource(t, ofStripe);
  const authorized = stripeEvent('issuing_authorization.created', stripe.authorization({ amount: 1_000 }));
  const captures = ['ipi_1', 'ipi_2', 'ipi_3'].map((id, index) =>
    stripeEvent('issuing_transaction.created', stripe.transaction({ id, amount: -100 * (index + 1) })),
  );
  const closed = stripeEvent(
    'issuing_authorization.updated',
    stripe.authorization({ amount: 0, status: 'closed', approved: true }),
  );
  for (const event of [authorized, ...captures, closed, ...captures.toReversed()])
    t.is((await send(byStripe(secret, event))).status, 202);
  await analyze();
  const { id } = stripe.authorization();
  t.deepEqual(settledOf(await events()), [`${id} 100`, 'ipi_2 200', 'ipi_3 300']);
  for (const { verification } of await events()) t.is(verification.result, 'verified');
  t.is((await as.get('/v1/agents')).body.data[0].spend_usd_minor_30d, '600');
  t.deepEqual((await as.get('/v1/alerts?detector=status_conflict')).body.data, []);
});

test("captures of Adyen's are of the payment that each is, and so is one that fails", async t => {
  const { as, send, events, analyze } = await withSource(t, ofAdyen);
  const originalReference = '7914073381342284';
  const capture = (pspReference: string, value: number, eventCode = 'CAPTURE', more: object = {}) =>
    adyenItem({
      pspReference,
      originalReference,
      eventCode,
      amount: { value, currency: 'EUR' },
      eventDate: '2026-11-20T09:00:00+00:00',
      ...more,
    });
  const [first, second] = [capture('FIRST00000000000', 600), capture('SECOND0000000000', 300)];
  // A capture that was refused is none.
  const refused = capture('REFUSED000000000', 600, 'CAPTURE', { success: 'false' });
  const failed_later = capture('SECOND0000000000', 300, 'CAPTURE_FAILED', { eventDate: '2026-11-20T10:00:00+00:00' });
  for (const item of [adyenItem(), refused, first, second, first, failed_later])
    t.is((await send(byAdyen(hex, item))).status, 202);
  await analyze();
  t.deepEqual(settledOf(await events()), [`${originalReference} 600`, 'SECOND0000000000 300']);
  const failed = (await events()).filter(({ type }: { type: string }) => type === 'payment.failed');
  t.deepEqual(failed.map(({ payment }: { payment: { payment_id: string } }) => payment.payment_id).toSorted(), [
    originalReference,
    'SECOND0000000000',
  ]);
  const conflicts = (await as.get('/v1/alerts?detector=status_conflict')).body.data;
  t.is(conflicts.length, 1, 'of the second, which was settled and then failed');
});

test('a capture that the log did not take is not the first of its authorization', async t => {
  const { send, events, unread } = await withSource(t, ofStripe);
  const capture = (id: string, created?: number) =>
    stripeEvent('issuing_transaction.created', stripe.transaction({ id }), created === undefined ? {} : { created });
  await send(byStripe(secret, capture('ipi_1', 1_000_000_000)));
  t.is((await unread()).length, 1);
  await send(byStripe(secret, capture('ipi_2')));
  t.deepEqual(settledOf(await events()), [`${stripe.authorization().id} 382`]);
});
