import test from 'ava';
import { describeResult } from '#shared/mandates/describe.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { type Beside, DAI, hold, inCurrency, judge, type mandate, rates, usd, usdc, USDC } from './held.ts';

type Given = [type: string, parameters: Record<string, unknown>, change?: Partial<ReportedEvent>, beside?: Beside];

const said = (...[type, parameters, change, beside]: Given): string => {
  const result = judge(type, parameters, change, beside);
  return result ? describeResult(result, { type: `payment.${type}`, ...parameters }) : '';
};
const monday = { at: '2026-11-23T10:00:00Z', earlier: [['2026-11-23T09:00:00Z', usd(1_000n)]] } as const;
const daily = { max: '1500', currency: 'USD', interval: 'daily' };

const texts: [given: Given, text: string][] = [
  [['amount_range', { max: '999', currency: 'USD' }], 'the payment is $10.00; at most $9.99 is allowed'],
  [
    ['amount_range', { min: '1001', max: '2000', currency: 'USD' }],
    'the payment is $10.00; at least $10.01 is allowed',
  ],
  [
    ['amount_range', { max: '1500', currency: 'JPY' }, inCurrency('JPY', 1_501n, null)],
    'the payment is ¥1,501; at most ¥1,500 is allowed',
  ],
  [
    ['amount_range', { max: '1', currency: 'KWD' }, inCurrency('KWD', 12_345n, null)],
    'the payment is KWD 12.345; at most KWD 0.001 is allowed',
  ],
  [['amount_range', { max: '0', currency: 'USD' }, usdc(1_000n)], 'the payment is $0.001; at most $0.00 is allowed'],
  [
    ['amount_range', { max: '1', asset: DAI }, usdc(1n), { rates }],
    'the payment is 0.000001 DAI; at most 0.000000000000000001 DAI is allowed',
  ],
  [['budget', daily, {}, monday], 'budget of the day: $20.00 with this payment, $15.00 allowed'],
  [
    ['budget', { ...daily, tz: 'Europe/Berlin', interval: 'monthly' }, {}, monday],
    'budget of the month (Europe/Berlin): $20.00 with this payment, $15.00 allowed',
  ],
  [
    ['budget', { ...daily, window: 'rolling', interval: 'monthly' }, {}, monday],
    'budget of any 30 days: $20.00 with this payment, $15.00 allowed',
  ],
  [
    ['budget', { max: '1', asset: USDC, interval: 'per_mandate' }, usdc(2n)],
    'budget of the whole mandate: 0.000002 USDC with this payment, 0.000001 USDC allowed',
  ],
  [['velocity', { max: 1, window_s: 7_200 }, {}, monday], '2 payments within 2 h; 1 allowed'],
  [['agent_recurrence', { frequency: 'WEEKLY' }, {}, monday], 'payment 2 of its period (weekly); one allowed'],
  [
    ['agent_recurrence', { frequency: 'ON_DEMAND', max_occurrences: 1 }, {}, monday],
    'payment 2 under the mandate; 1 allowed',
  ],
  [
    ['blocked_payees', { payees: [{ domain: 'shop.example' }] }],
    'the payee (domain:shop.example) is among those blocked: shop.example',
  ],
  [['allowed_rails', { values: ['x402'] }], 'the rail (card) is not among those allowed: x402'],
  [['allowed_networks', { values: ['eip155:8453'] }], 'the network (unknown) is not among those allowed: eip155:8453'],
  [['blocked_countries', { values: ['DE'] }], "the payee's country (DE) is among those blocked: DE"],
  [
    ['time_of_day', { days: ['mon'], from: '09:00', to: '18:00' }],
    'paid at fri 10:00 UTC; allowed: mon 09:00-18:00 UTC',
  ],
  [['approval_required', { above: '999', currency: 'USD' }], '$10.00 is above $9.99 and has no human approval'],
  [
    ['budget', daily, inCurrency('ARS', 1n, null), monday],
    'budget of the day: $10.00 with this payment, $15.00 allowed, excluding payments without a price',
  ],
  [['allowed_categories', { mcc: ['5411'] }], 'allowed categories could not be evaluated (category_unknown)'],
  [['weather', { rain: false }], 'weather could not be evaluated (unknown_constraint)'],
];
for (const [given, text] of texts) test(`${given[0]}: ${text}`, t => t.is(said(...given), text));

test('what a mandate says of itself is said in words', t => {
  const own = (terms: Partial<typeof mandate>) =>
    hold(terms, {})
      .constraints.filter(({ result }) => result === 'breach')
      .map(result => describeResult(result, undefined));
  t.deepEqual(own({ state: 'paused' }), ['it was paused at the time']);
  t.deepEqual(own({ agent_id: 'agt_2' }), ['it is for agent agt_2, but agent agt_1 paid']);
  t.deepEqual(own({ valid_until: Date.parse('2026-11-20T10:00:00Z') }), [
    'it expired at 2026-11-20T10:00:00.000Z; the payment was at 2026-11-20T10:00:00.000Z',
  ]);
  t.deepEqual(own({ valid_from: Date.parse('2026-11-20T10:00:01Z') }), [
    'it starts at 2026-11-20T10:00:01.000Z; the payment was at 2026-11-20T10:00:00.000Z',
  ]);
  t.deepEqual(own({ human_presence: 'required' }), ['human approval is required but missing']);
});
