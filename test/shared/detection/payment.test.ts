import fc from 'fast-check';
import test from 'ava';
import { type Payment, spendOf, withEvent } from '#shared/events/log/payment.ts';
import { events, type EventStep } from '#test/helpers/play.ts';

const costOf = (steps: EventStep[]) => {
  let payment: Payment | undefined;
  for (const event of events(steps.map(step => ({ ...step, payment_id: 'p' })))) payment = withEvent(payment, event);
  return payment ? Number(spendOf(payment)) / 1_000_000 : 0;
};

const authorized = { at: 1, usd: 100, type: 'payment.authorized' as const };
const settled = { at: 2, usd: 80, type: 'payment.settled' as const };
const refunded = { at: 3, usd: 80, type: 'payment.refunded' as const };
const failed = { at: 4, usd: 80, type: 'payment.failed' as const };

test('a payment costs what its latest counting event says, less its refunds', t => {
  t.is(costOf([authorized]), 100);
  t.is(costOf([authorized, settled]), 80);
  t.is(costOf([authorized, settled, refunded]), 0);
  t.is(costOf([authorized, settled, { ...refunded, usd: 30 }]), 50);
  t.is(costOf([authorized, failed]), 0);
  t.is(costOf([{ ...authorized, type: 'payment.requested' }]), 0);
});

test('in whatever order its events arrive, a payment costs the same', t => {
  const inOrder = costOf([authorized, settled, { ...refunded, usd: 30 }]);
  fc.assert(
    fc.property(fc.shuffledSubarray([authorized, settled, { ...refunded, usd: 30 }], { minLength: 3 }), shuffled => {
      t.is(costOf(shuffled), inOrder);
    }),
  );
});
