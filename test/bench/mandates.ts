import type { Bench } from './run.ts';
import { createBook } from '#shared/mandates/book.ts';
import { evaluate } from '#shared/mandates/evaluate.ts';
import type { JudgedMandate, Position } from '#shared/mandates/evaluation.ts';
import { noRates } from '#shared/values/price_in_usd.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';

const BATCH = 10_000;
const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** Payments per second that are held against a mandate of ten constraints, each entered into its book, by how many were paid before. */
export async function mandates({ figure }: Bench): Promise<void> {
  measure(1_000);
  const few = measure(1_000);
  const many = measure(100_000);
  figure('evaluated per second, 1,000 earlier payments', few, 'goal: 20,000');
  figure('evaluated per second, 100,000 earlier payments', many, `goal: 20,000; ${(few / many).toFixed(2)} × the cost`);
  figure('the same, every tenth payment an hour late', measure(100_000, 10), 'goal: 20,000');
}

/** One batch in the order of the log; `late`: every so many payments one was made an hour earlier. */
function measure(earlier: number, late = Infinity): number {
  const book = createBook(noRates);
  const pay = (at: number, seq: number) =>
    book.put({ at, seq, denomination: `eip155:8453/${USDC.toLowerCase()}`, value: 1_000n, usd_micro: 1_000n });
  for (let seq = 0; seq < earlier; seq += 1) pay(NOW - Math.round((40 * DAY * (earlier - seq)) / earlier), seq);
  const judge = (position: Position) => evaluate(mandate, event, { position, meter: book, rates: noRates });
  // The first asks for sums that all others share.
  judge({ at: NOW, seq: earlier });
  const start = performance.now();
  for (let number = 0; number < BATCH; number += 1) {
    const position = { at: NOW + number * SECOND - (number % late === 1 ? 3_600 * SECOND : 0), seq: earlier + number };
    judge(position);
    pay(position.at, position.seq);
  }
  return (BATCH * 1_000) / (performance.now() - start);
}

const mandate: JudgedMandate = {
  id: 'mnd_bench',
  agent_id: 'agt_bench',
  version: 1,
  state: 'active',
  valid_from: NOW - 60 * DAY,
  valid_until: NOW + 60 * DAY,
  anchor: NOW - 60 * DAY,
  human_presence: 'not_required',
  constraints: [
    { type: 'payment.amount_range', min: '0', max: '500', currency: 'USD' },
    { type: 'payment.budget', max: '100000000', currency: 'USD', interval: 'monthly', window: 'rolling', tz: 'UTC' },
    {
      type: 'payment.budget',
      max: '100000000',
      currency: 'USD',
      interval: 'monthly',
      window: 'calendar',
      tz: 'Europe/Berlin',
    },
    {
      type: 'payment.budget',
      max: '1000000000000',
      asset: { network: 'eip155:8453', address: USDC },
      interval: 'daily',
    },
    { type: 'payment.velocity', max: 100_000, window_s: 3_600 },
    { type: 'payment.allowed_payees', payees: [{ domain: 'example.com' }, { key: 'domain:shop.example' }] },
    { type: 'payment.allowed_rails', values: ['x402', 'stablecoin'] },
    { type: 'payment.allowed_networks', values: ['eip155:8453'] },
    { type: 'payment.time_of_day', from: '00:00', to: '24:00', tz: 'America/New_York' },
    { type: 'payment.approval_required', above: '10000', currency: 'USD' },
  ],
};

const event: ReportedEvent = {
  id: 'evt_bench',
  type: 'payment.settled',
  occurred_at: NOW,
  environment: 'sandbox',
  source_id: 'src_bench',
  agent_id: 'agt_bench',
  owner_id: 'own_bench',
  mandate_id: null,
  payment_id: 'pay_bench',
  rail: 'x402',
  status: 'settled',
  amount: {
    value: 1_000n,
    denomination: `eip155:8453/${USDC.toLowerCase()}`,
    currency: null,
    asset: { network: 'eip155:8453', address: USDC, decimals: 6 },
  },
  usd_micro: 1_000n,
  payee: {
    key: 'eip155:8453:0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    type: 'wallet',
    name: null,
    country: null,
  },
  resource_url: 'https://api.example.com/v1/weather',
  category: null,
  instrument: null,
  human_present: null,
  evidence_kinds: ['x402.payment_payload'],
};
