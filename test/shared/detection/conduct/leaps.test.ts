import test from 'ava';
import { noSpreads } from '#shared/detection/model/spreads.ts';
import { expectedOfLeap, expectedOfNewRail } from '#shared/detection/model/rarity.ts';
import { DAY } from '#shared/values/time.ts';
import { every, type EventStep, HOUR, MINUTE, noon, SECOND } from '#test/helpers/play.ts';
import { conduct } from './judged.ts';

/** An agent that pays $20 or so to each of eight shops, one a minute, twice a day, for twenty days. */
const shopper: EventStep[] = every(12 * HOUR, 40, noon - 20 * DAY).flatMap((step, index) =>
  Array.from({ length: 8 }, (_, shop) => ({
    ...step,
    at: step.at + shop * MINUTE,
    usd: 18 + ((index + shop) % 5),
    payee_id: `shop-${shop}`,
  })),
);

/** An agent that pays cents per call over x402, around the clock. */
const caller: EventStep[] = every(2 * HOUR, 240, noon - 20 * DAY).map((step, index) => ({
  ...step,
  rail: 'x402',
  usd: 0.1 + 0.01 * (index % 7),
  payee_id: `api-${index % 4}`,
}));

test('many payments to one payee are told where none has got so many in an hour, six, or a day, and to many payees they are a busy hour', t => {
  const burst = (gap: number, payeeOf = (_index: number) => 'shop-1') =>
    every(gap, 14, noon).map((step, index) => ({ ...step, usd: 21, payee_id: payeeOf(index) }));
  const toldOf = (steps: EventStep[], title: RegExp) =>
    conduct([...shopper, ...steps]).find(each => title.test(each.title));
  const inAnHour = /^\d+ payments to \{payee\} within 1 h, \$\d+\.00 in total$/;
  const told = toldOf(burst(MINUTE), inAnHour);
  t.regex(
    told?.explanation ?? '',
    /of its 2\d\d payments outside this hour \(over 1\d d\), no more than 1 went to one payee within 1 h/,
  );
  t.deepEqual([told?.subject, told?.counted?.payments], ['shop-1', told?.seqs.length]);
  t.is(
    toldOf(
      burst(MINUTE, index => `shop-${index % 8}`),
      inAnHour,
    ),
    undefined,
  );
  const slower = toldOf(burst(25 * MINUTE), /^\d+ payments to \{payee\} within 6 h/);
  t.regex(slower?.explanation ?? '', /payments outside these 6 h .*, no more than 1 went to one payee within 6 h/);
  t.truthy(toldOf(burst(HOUR), /^\d+ payments to \{payee\} within 24 h/));
});

test('payments to one payee are compared with others of their size: who calls one address all day pays no shop nine times', t => {
  const busy: EventStep[] = every(3 * HOUR, 160, noon - 20 * DAY).flatMap((step, index) => [
    { ...step, usd: 0.4, payee_id: 'api' },
    { ...step, at: step.at + MINUTE, usd: 0.4, payee_id: 'api' },
    { ...step, at: step.at + 2 * MINUTE, usd: 0.4, payee_id: 'api' },
    { ...step, at: step.at + HOUR, usd: [220, 1_400, 35, 2_600, 240][index % 5] ?? 0, payee_id: `shop-${index % 9}` },
  ]);
  const split = every(HOUR, 9, noon).map((step, index) => ({ ...step, usd: 236 + index, payee_id: 'shop-1' }));
  const toldOf = (steps: EventStep[]) =>
    conduct([...busy, ...steps]).find(
      ({ title, conduct_at = 0 }) => conduct_at >= noon && /^\d payments to \{payee\} within \d+ h/.test(title),
    );
  t.regex(
    toldOf(split)?.explanation ?? '',
    /^The agent made \d payments to \{payee\} within \d+ h, \$[\d,.]+ in total; of its 2\d\d payments .*, no more than 1 of \$1\d\d\.\d\d or more went to one payee within/,
  );
  const batch = (days: number) => split.map((step, index) => ({ ...step, at: noon - days * DAY + index * MINUTE }));
  t.truthy(toldOf(batch(0)));
  t.is(toldOf([...batch(14), ...batch(0)]), undefined, 'there was such an hour before all payments at hand');
  t.is(toldOf(split.map((step, index) => ({ ...step, payee_id: `shop-${index}` }))), undefined);
});

test('a payment to a known payee that is many times the largest is told, however widely payments differ', t => {
  const wide: EventStep[] = every(DAY, 20, noon - 20 * DAY).map((step, index) => ({
    ...step,
    usd: [4, 9, 22, 60, 150][index % 5] ?? 4,
    payee_id: `shop-${index % 3}`,
  }));
  const paid = (usd: number, payee_id: string) => conduct([...wide, { at: noon, usd, payee_id }]);
  t.regex(paid(1_800, 'shop-1')[0]?.explanation ?? '', /^\$1,800\.00 to \{payee\} is/);
  t.deepEqual(paid(450, 'shop-1'), []);
});

test('an agent of calls that is given a card buys with it what a card buys', t => {
  const bought = { usd: 60, payee_id: 'shop', rail: 'card' as const };
  const first = { at: noon, ...bought };
  t.deepEqual(conduct([...caller, first]), []);
  t.not(conduct([...caller, { ...first, rail: 'x402' }]).length, 0);
  const held: EventStep[] = every(4 * DAY, 5, noon - 20 * DAY, { ...bought, usd: 40 });
  t.deepEqual(
    conduct([...caller, ...held, { ...first, payee_id: 'other' }]),
    [],
    'its purchases by card tell what is usual by card',
  );
});

/** An agent that was seen in a few hours of four days, in which it made so many payments of so many dollars. */
const seldom = (counts: number[], usd: number, payeeOf = (_index: number) => 'api'): EventStep[] =>
  counts.flatMap((count, hour) =>
    every(MINUTE, count, noon - 4 * DAY + 23 * hour * HOUR).map((step, index) => ({
      ...step,
      usd,
      payee_id: payeeOf(10 * hour + index),
    })),
  );

test('many new payees within an hour are told after few payments, unless they get cents', t => {
  const met = seldom([3, 3, 1, 3], 0.4, index => `api-${index % 14}`);
  const told = (count: number, usd: number) =>
    conduct([
      ...met,
      ...every(MINUTE, count, noon).map((step, index) => ({ ...step, usd, payee_id: `stranger-${index}` })),
    ]);
  t.regex(
    told(28, 0.4).at(-1)?.explanation ?? '',
    /^The agent paid 28 payees for the first time within 1 h, \$11\.20 in total; in 4 other periods/,
  );
  t.deepEqual(told(12, 0.4), []);
  t.deepEqual(told(28, 0.01), []);
});

test('an hour that is many times as busy as any is told after few', t => {
  const flood = (counts: number[]) =>
    conduct([...seldom(counts, 0.02), ...every(10 * SECOND, 203, noon, { usd: 0.02, payee_id: 'api' })]);
  t.is(flood([13, 4, 4, 4]).at(-1)?.title, '203 payments within 1 h');
  t.deepEqual(flood([2, 2, 45, 2]), []);
});

test('what is held for a moment is compared with what was held before, not with what that came to', t => {
  const charged = (day: number, hold: number): EventStep[] => {
    const step = { payee_id: `charger-${day % 4}`, payment_id: `charge ${day} ${hold}`, at: noon + day * DAY };
    const settled = { ...step, at: step.at + HOUR, usd: 8 + (day % 9), type: 'payment.settled' as const };
    return [{ ...step, usd: hold, type: 'payment.authorized' }, settled];
  };
  const month = Array.from({ length: 30 }, (_, day) => charged(day - 31, 60)).flat();
  t.deepEqual(conduct([...month, ...charged(0, 60)]), []);
  t.is(conduct([...month, ...charged(0, 600)]).length, 1);
  const spent: EventStep = { at: noon, usd: 60, payee_id: 'shop' };
  t.is(conduct([...month, spent]).length, 1, 'what is spent is compared with what was spent');
  const inFull = charged(0, 600).map(step => ({ ...step, usd: 600 }));
  const dearer = month.map(step => (step.type === 'payment.authorized' ? { ...step, usd: 600 } : step));
  const [told, ...more] = conduct([...dearer, ...inFull]);
  t.deepEqual([told?.title.startsWith('$600.00'), more], [true, []], 'a hold that is taken in full');
  const [held] = conduct([...month, ...charged(0, 600)]);
  t.regex(
    held?.explanation ?? '',
    /Payments of other days count with what was authorized for them, where that was much more/,
  );
  const nearly = month.map(step => ({ ...step, usd: 16 + (step.usd ?? 0) / 100 }));
  const [purchase] = conduct([...nearly, ...charged(0, 600)]);
  t.notRegex(purchase?.explanation ?? 'none', /was authorized for them/, 'hardly more was held');
});

test('what settles for all that was held teaches nothing twice, and is told once', t => {
  const paid = (day: number, usd: number, held = usd): EventStep[] => {
    const step = { at: noon + day * DAY, payee_id: `shop-${day % 4}`, payment_id: `paid ${day} ${held}` };
    return [
      { ...step, usd: held, type: 'payment.authorized' },
      { ...step, at: step.at + HOUR, usd },
    ];
  };
  const month = Array.from({ length: 30 }, (_, day) => paid(day - 31, 16 + (day % 9))).flat();
  const taught = (steps: EventStep[]) => {
    const spreads = noSpreads();
    conduct(steps, { spreads });
    return spreads.measures.amount?.count ?? 0;
  };
  t.true(taught([...paid(-40, 12, 60), ...month]) <= taught([...paid(-40, 12), ...month]) + 1);
  const told = conduct([...paid(-40, 12, 60), ...month, ...paid(0, 5_000)]);
  t.is(told.length, 1, JSON.stringify(told.map(({ title }) => title)));
});

test('cents after a large purchase are not told for it', t => {
  const calls = every(5 * MINUTE, 6, noon + MINUTE, { usd: 0.1, payee_id: 'api-1', rail: 'x402' });
  t.deepEqual(conduct([...caller, { at: noon, usd: 100, payee_id: 'shop', rail: 'card' }, ...calls]), []);
});

test('a new rail explains a first purchase, not a drain', t => {
  const buyer: EventStep[] = every(6 * HOUR, 16, noon - 4 * DAY).map((step, index) => ({
    ...step,
    usd: 18 + (index % 5),
    payee_id: `shop-${index % 8}`,
  }));
  const drain = every(10 * MINUTE, 100, noon, { usd: 50, rail: 'x402', payee_id: 'stranger' });
  t.deepEqual(conduct([...buyer, ...drain.slice(0, 1)]), []);
  t.true(conduct([...buyer, ...drain]).length > 50);
});

test('what is usual by card tells of a purchase by card', t => {
  const held: EventStep[] = every(2 * DAY, 8, noon - 18 * DAY).map((step, index) => ({
    ...step,
    usd: 150 + 40 * (index % 4),
    payee_id: index % 2 === 0 ? 'hotel' : `airline-${index}`,
    rail: 'card' as const,
  }));
  const bought = (usd: number, count = 1) =>
    conduct([...caller, ...held, ...every(HOUR, count, noon, { usd, payee_id: 'airline-1', rail: 'card' })]).filter(
      ({ conduct_at }) => (conduct_at ?? 0) >= noon,
    );
  t.deepEqual(bought(290, 3), []);
  t.not(bought(3_000, 3).length, 0);
});

test('a leap is the rarer the larger it is and the more was seen, and nothing by itself after two payments', t => {
  const tail = { often: 10, power: 2 };
  t.is(expectedOfLeap(10, 100, tail), 0.01);
  t.true(
    expectedOfLeap(10, 25, tail) > expectedOfLeap(10, 100, tail) &&
      expectedOfLeap(5, 100, tail) > expectedOfLeap(10, 100, tail),
  );
  t.deepEqual([expectedOfLeap(100, 2, tail), expectedOfLeap(1, 100, tail)], [Infinity, Infinity]);
});

test('a new rail is the likelier the shorter the record and the smaller the payment', t => {
  t.true(
    expectedOfNewRail(0.1, 40) > expectedOfNewRail(1, 40) && expectedOfNewRail(1, 40) > expectedOfNewRail(1, 4_000),
  );
  t.is(expectedOfNewRail(1, 5), expectedOfNewRail(1, 50));
});

test('a payment is held against what its payee usually gets, where the agent pays far more to others', t => {
  const store: EventStep[] = every(DAY, 30, noon - 30 * DAY).flatMap((step, index) => [
    { ...step, usd: 900 + ((index * 97) % 1_400), payee_id: `supplier-${index % 3}` },
    { ...step, at: step.at + HOUR, usd: [12.5, 14, 18, 9][index % 4] ?? 0, payee_id: 'courier' },
  ]);
  const toldOf = (usd: number, payee_id: string, before = store) =>
    conduct([...before, { at: noon, usd, payee_id, rail: 'card' }]).find(({ subject }) => subject === payee_id);
  const told = toldOf(1_250, 'courier');
  t.is(told?.title, '$1,250.00 to {payee}, which usually gets about $12.50');
  t.regex(
    told?.explanation ?? '',
    /; the median of 29 payments to it on other days is \$12\.50, and the largest was \$18\.00 \(less than one in 10,000 payments to it\)/,
  );
  t.is(toldOf(1_250, 'supplier-1'), undefined);
  t.is(toldOf(40, 'courier'), undefined, 'a larger parcel');
  const few = store.filter(({ payee_id }, index) => payee_id !== 'courier' || index > 53);
  t.is(toldOf(1_250, 'courier', few), undefined, 'three payments say little');
});
