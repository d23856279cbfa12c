import test from 'ava';
import { every, type EventStep, HOUR, MINUTE, noon, play, SECOND } from '#test/helpers/play.ts';
import { DAY } from '#shared/values/time.ts';

const names = (steps: Parameters<typeof play>[0], detector: string) =>
  play(steps, detector).map(({ detector }) => detector);

test('duplicate: the same amount to the same payee within ten minutes raises an alert', t => {
  const [finding] = play(
    [
      { at: noon, usd: 25 },
      { at: noon + 5 * MINUTE, usd: 25 },
    ],
    'duplicate_payment',
  );
  t.is(finding?.score, 70);
  t.is(finding?.subject, 'pye_1');
  t.deepEqual(finding?.seqs, [1, 2]);
  t.deepEqual(
    names(
      [
        { at: noon, usd: 25 },
        { at: noon + 11 * MINUTE, usd: 25 },
      ],
      'duplicate_payment',
    ),
    [],
  );
  t.deepEqual(
    names(
      [
        { at: noon, usd: 25 },
        { at: noon + MINUTE, usd: 26 },
      ],
      'duplicate_payment',
    ),
    [],
  );
  t.deepEqual(
    names(
      [
        { at: noon, usd: 25 },
        { at: noon + MINUTE, usd: 25, payee_id: 'pye_2' },
      ],
      'duplicate_payment',
    ),
    [],
  );
});

test('duplicate: one call that pays for the pages of a list pays for each once', t => {
  const page = (n: number) => ({ at: noon + n * SECOND, usd: 0.5, tool_call_key: 'c1', resource_key: `page ${n}` });
  t.deepEqual(names([page(0), page(1), page(2)], 'duplicate_payment'), []);
  t.is(names([page(0), page(1), { ...page(1), at: noon + MINUTE }], 'duplicate_payment').length, 1);
});

test('duplicate: the gap of a time-out makes it worse', t => {
  t.is(play([{ at: noon }, { at: noon + 32 * SECOND }], 'duplicate_payment')[0]?.score, 85);
  t.is(play([{ at: noon }, { at: noon + 65 * SECOND }], 'duplicate_payment')[0]?.score, 85);
  t.is(play([{ at: noon }, { at: noon + 50 * SECOND }], 'duplicate_payment')[0]?.score, 70);
});

test('duplicate: one tool call or resource paid twice is found within a day', t => {
  const later = noon + 20 * HOUR;
  t.is(
    names(
      [
        { at: noon, tool_call_key: 'c1' },
        { at: later, tool_call_key: 'c1' },
      ],
      'duplicate_payment',
    ).length,
    1,
  );
  t.is(
    names(
      [
        { at: noon, resource_key: 'r1' },
        { at: later, resource_key: 'r1' },
      ],
      'duplicate_payment',
    ).length,
    1,
  );
  t.is(
    names(
      [
        { at: noon, resource_key: 'r1' },
        { at: later, resource_key: 'r2' },
      ],
      'duplicate_payment',
    ).length,
    0,
  );
});

test('duplicate: a copy that comes again and again is one alert that counts all of them', t => {
  const copies = every(2 * MINUTE, 20, noon, { usd: 24.9 });
  const found = play([...copies, { at: noon + 30 * HOUR, usd: 24.9 }], 'duplicate_payment');
  const last = found.at(-1);
  t.is(last?.title, 'Paid {payee} $24.90 20 times');
  t.regex(last?.explanation ?? '', /^20 payments of \$24\.90 to \{payee\} within 38 min\. Equal/);
  t.is(last?.seqs.length, 20);
  const timeout = [{ at: noon, usd: 24.9 }, ...every(5 * MINUTE, 8, noon + 32 * SECOND, { usd: 24.9 })];
  t.like(play(timeout, 'duplicate_payment').at(-1), { score: 85, title: 'Paid {payee} $24.90 9 times' });
});

test('duplicate: what another call over x402 pays, long after the first had settled, is none', t => {
  const found = (gap: number, more: Partial<EventStep> = {}, first: Partial<EventStep> = {}) =>
    names(
      [
        { at: noon, usd: 4, rail: 'x402', resource_key: 'r1', tool_call_key: 'call-1', ...first },
        { at: noon + gap, usd: 4, rail: 'x402', resource_key: 'r1', tool_call_key: 'call-2', ...more },
      ],
      'duplicate_payment',
    ).length;
  t.deepEqual(
    [5 * SECOND, 65 * SECOND, 3 * MINUTE].map(gap => found(gap)),
    [1, 1, 0],
  );
  t.is(found(3 * MINUTE, { tool_call_key: 'call-1' }), 1, 'one call');
  t.is(found(3 * MINUTE, {}, { type: 'payment.authorized' }), 1, 'nobody knew what became of the first');
  t.is(found(3 * MINUTE, { rail: 'card' }, { rail: 'card' }), 1, 'a purchase by card');
  t.is(found(3 * MINUTE, { usd: 40 }, { usd: 40 }), 1, 'more than calls cost');
});

test('duplicate: what is bought again by another call, or the next day, is none', t => {
  const found = (gap: number, more: object) =>
    names(
      [
        { at: noon, resource_key: 'r1', ...more },
        { at: noon + gap, resource_key: 'r1' },
      ],
      'duplicate_payment',
    ).length;
  t.is(found(3 * HOUR, {}), 1);
  t.is(found(23 * HOUR, {}), 0);
  const longer = { params: { same_call_window_s: 172_800 } };
  const later = [0, 30 * HOUR].map(gap => ({ at: noon + gap, resource_key: 'r1' }));
  t.is(play(later, 'duplicate_payment', longer).length, 1, 'where the window was set to reach it');
  const calls = (gap: number) =>
    names(
      [0, gap].map((at, index) => ({ at: noon + at, usd: 25, resource_key: 'r1', tool_call_key: `c${index}` })),
      'duplicate_payment',
    ).length;
  t.is(calls(5 * MINUTE), 1);
  t.is(calls(3 * HOUR), 0);
});

test('duplicate: what nobody can price is taken for much', t => {
  const twice = (days: number, payee: string) =>
    [0, 6 * MINUTE].map(gap => ({ at: noon + days * DAY + gap, usd: null, payee_id: payee, price_key: 'token' }));
  const days = Array.from({ length: 6 }, (_, day) => twice(2 * day, `pay_${day}`));
  t.is(new Set(play(days.flat(), 'duplicate_payment').map(({ subject }) => subject)).size, 3);
});

test('duplicate: a run that is repeated is told of whole, and is no habit until it has been on three days', t => {
  const payouts = Array.from({ length: 25 }, (_, index) => ({ usd: 100 + index, payee_id: `pay_${index}` }));
  const run = (at: number) => payouts.map((payout, index) => ({ ...payout, at: at + index * SECOND }));
  const before = [noon - 21 * DAY, noon - 14 * DAY, noon - 7 * DAY].flatMap(run);
  const payees = (steps: Parameters<typeof play>[0]) =>
    new Set(play(steps, 'duplicate_payment').map(({ subject }) => subject)).size;
  t.is(payees([...before, ...run(noon), ...run(noon + 6 * MINUTE)]), 25);
  const twice = (days: number, payee: string) =>
    [0, 6 * MINUTE].map(gap => ({ at: noon + days * DAY + gap, usd: 100, payee_id: payee }));
  const days = Array.from({ length: 6 }, (_, day) => twice(2 * day, `pay_${day}`));
  t.is(payees(days.flat()), 3);
});

test('duplicate: a steady pace is told when it begins, and then is how the agent pays', t => {
  const steady = play(every(5 * MINUTE, 864, noon - 72 * HOUR, { usd: 2 }), 'duplicate_payment');
  t.true(steady.length > 1 && steady.length < 20, `${steady.length}`);
});

test('duplicate: a retry after a failure, or after a cancellation, is none', t => {
  for (const type of ['payment.failed', 'payment.canceled'] as const) {
    t.deepEqual(names([{ at: noon, type }, { at: noon + 32 * SECOND }], 'duplicate_payment'), []);
  }
});

test('duplicate: equal payments that come as close by chance are none, those at a steady pace and larger ones are', t => {
  const topUps = [0, 9, 11, 30, 31.2, 55, 70, 70.4, 90, 101, 128, 129, 150, 151.5, 160, 190].map(hours => ({
    at: noon - 240 * HOUR + hours * HOUR,
    usd: 20,
  }));
  const again = (gap: number, more = {}) => [
    { at: noon, usd: 20, ...more },
    { at: noon + gap, usd: 20, ...more },
  ];
  const found = (steps: Parameters<typeof play>[0]) => names(steps, 'duplicate_payment').length;
  t.is(found([...topUps, ...again(9 * MINUTE)]), 0);
  t.is(found([...topUps, ...again(9 * MINUTE, { tool_call_key: 'c1' })]), 1);
  t.is(found([...topUps, ...again(9 * MINUTE, { usd: 50 })]), 1);
  t.is(found([...every(6 * HOUR, 40, noon - 240 * HOUR, { usd: 20 }), ...again(9 * MINUTE)]), 1);
});

test('duplicate: two purchases of one price in a batch are none, and two of one tool call are', t => {
  const batch = (gap: number, last = 'c9') =>
    every(gap, 10, noon).map((step, index) => ({
      ...step,
      usd: index < 9 ? 5 + index : 13,
      tool_call_key: index < 9 ? `c${index}` : last,
    }));
  t.deepEqual(names(batch(30 * SECOND), 'duplicate_payment'), []);
  t.is(names(batch(30 * SECOND, 'c8'), 'duplicate_payment').length, 1);
  const seldom = every(HOUR, 9, noon).map((step, index) => ({ ...step, usd: 5 + index, tool_call_key: `c${index}` }));
  const pair = [0, 5].map(minute => ({ at: noon + 10 * HOUR + minute * MINUTE, usd: 30, tool_call_key: `p${minute}` }));
  t.is(names([...seldom, ...pair], 'duplicate_payment').length, 1, 'who seldom buys two at a time');
});

test('duplicate: no time-out where the first had settled before something else was bought', t => {
  const scoreOf = (second: string, type?: 'payment.authorized') =>
    play(
      [
        { at: noon, tool_call_key: 'c1', ...(type && { type }) },
        { at: noon + 32 * SECOND, tool_call_key: second },
      ],
      'duplicate_payment',
    )[0]?.score;
  t.deepEqual([scoreOf('c2'), scoreOf('c1'), scoreOf('c2', 'payment.authorized')], [70, 85, 85]);
});

test('duplicate: neither a payment that was refunded nor the verification of a card is one of two', t => {
  const refund = { at: noon + MINUTE, type: 'payment.refunded', payment_id: 'p' } as const;
  const again = { at: noon + 2 * MINUTE };
  t.deepEqual(names([{ at: noon, payment_id: 'p' }, refund, again], 'duplicate_payment'), []);
  t.is(names([{ at: noon, payment_id: 'p' }, { ...refund, usd: 5 }, again], 'duplicate_payment').length, 1);
  t.deepEqual(
    names(
      [
        { at: noon, usd: 0 },
        { at: noon + MINUTE, usd: 0 },
      ],
      'duplicate_payment',
    ),
    [],
  );
  t.is(
    names(
      [
        { at: noon, usd: null },
        { at: noon + MINUTE, usd: null },
      ],
      'duplicate_payment',
    ).length,
    1,
  );
});

test('duplicate: whichever of the two arrives first, it is found once', t => {
  t.is(names([{ at: noon + MINUTE }, { at: noon }], 'duplicate_payment').length, 1);
});

test('another call for another resource is another article over x402, whatever it costs; by card an order may be made anew', t => {
  const articles = (rail: 'x402' | 'card', usd: number) =>
    [1, 2].map(n => ({
      at: noon + 2 * n * MINUTE,
      usd,
      rail,
      resource_key: `article ${n}`,
      tool_call_key: `call ${n}`,
    }));
  t.deepEqual(play(articles('x402', 39), 'duplicate_payment'), []);
  t.deepEqual(play(articles('card', 9), 'duplicate_payment'), []);
  t.is(play(articles('card', 39), 'duplicate_payment').length, 1);
});

test('duplicate: what settles is compared, whatever more was held for it', t => {
  const held = (payment_id: string, at: number, usd: number, settled: number): EventStep[] => [
    { at, usd, payment_id, type: 'payment.authorized' },
    { at: at + 30 * SECOND, usd: settled, payment_id, type: 'payment.settled' },
  ];
  const twice = [...held('p1', noon, 74.88, 62.4), ...held('p2', noon + 68 * SECOND, 74.88, 62.4)];
  const found = play(twice, 'duplicate_payment');
  t.is(found.length, 1);
  t.is(found[0]?.seqs.length, 2);
  t.deepEqual(
    names([...held('p1', noon, 74.88, 62.4), ...held('p2', noon + 68 * SECOND, 74.88, 61.4)], 'duplicate_payment'),
    [],
  );
  // What was told when it was held is told once.
  t.is(
    names([...held('p1', noon, 62.4, 62.4), ...held('p2', noon + 68 * SECOND, 62.4, 62.4)], 'duplicate_payment').length,
    1,
  );
});
