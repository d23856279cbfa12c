import test from 'ava';
import { type PaidEvent, spentOn, withPaidEvent } from '#shared/assessment/paid.ts';

const USDC = 'eip155:8453/0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

/** An event of a payment; `value` in cents, or in millionths of a dollar token. */
function event(type: PaidEvent['type'], seq: number, value: bigint, denomination = 'USD'): PaidEvent {
  const usd_micro = denomination === 'USD' ? value * 10_000n : denomination === USDC ? value : null;
  const amount = { value, denomination, currency: null, asset: null };
  return { type, occurred_at: seq * 1_000, chain_seq: seq, amount, usd_micro };
}

const after = (...events: PaidEvent[]) =>
  spentOn(events.reduce<ReturnType<typeof withPaidEvent>>((paid, each) => withPaidEvent(paid, each), null));

test('a refund in the denomination of the payment leaves the rest in it', t => {
  const spent = after(event('payment.settled', 1, 1_000n), event('payment.refunded', 2, 400n));
  t.like(spent, { denomination: 'USD', value: 600n, usd_micro: 6_000_000n });
});

test('a refund in another denomination is subtracted in dollars, whichever is reported first', t => {
  const payment = event('payment.settled', 1, 1_000n);
  const refund = event('payment.refunded', 2, 4_000_000n, USDC);
  const expected = { denomination: null, value: 0n, usd_micro: 6_000_000n };
  t.like(after(payment, refund), expected);
  t.like(after(refund, payment), expected);
});

test('refunds in several denominations are subtracted in dollars', t => {
  const spent = after(
    event('payment.settled', 1, 1_000n),
    event('payment.refunded', 2, 100n),
    event('payment.refunded', 3, 1_000_000n, USDC),
  );
  t.like(spent, { denomination: null, usd_micro: 8_000_000n });
});

test('a payment that was not priced stays so', t => {
  t.like(after(event('payment.settled', 1, 500n, 'XOF')), { denomination: 'XOF', value: 500n, usd_micro: null });
});

test('a payment that failed costs nothing, and one that only was asked for has no place', t => {
  t.is(after(event('payment.authorized', 1, 100n), event('payment.failed', 2, 100n)), null);
  t.is(after(event('payment.requested', 1, 100n)), null);
});
