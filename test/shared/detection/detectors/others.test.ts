import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { every, type EventStep, HOUR, MINUTE, noon, play, SECOND } from '#test/helpers/play.ts';

const names = (steps: Parameters<typeof play>[0], detector: string) =>
  play(steps, detector).map(({ detector }) => detector);

test('new payee: a first payment above $100 and above nine in ten of the others raises an alert, once', t => {
  const run = (steps: Parameters<typeof play>[0]) => play(steps, 'new_payee_high_amount');
  const known = every(HOUR, 20, noon - 21 * HOUR, { usd: 20, payee_id: 'pye_known' });
  const first = { at: noon, usd: 150, payee_id: 'pye_new' };
  const [finding, ...more] = run([...known, first, { ...first, at: noon + HOUR }]);
  t.deepEqual(more, []);
  t.is(finding?.title, '$150.00 to {payee}, never paid before');
  t.deepEqual(run([...known, { ...first, usd: 100 }]), []);
  t.deepEqual(run([...known, { ...first, payee_id: 'pye_known' }]), []);
  const rich = every(HOUR, 20, noon - 21 * HOUR, { usd: 400, payee_id: 'pye_known' });
  t.is(run([...rich, { ...first, usd: 390 }]).at(-1)?.seq, 1);
  t.deepEqual(run([{ ...first, type: 'payment.failed' }]), []);
});

test('loop: ten evenly spaced payments for one thing within five minutes raise an alert', t => {
  const [finding] = play(every(15 * SECOND, 10, noon), 'runaway_loop');
  t.is(finding?.seq, 10);
  t.is(finding?.score, 50);
  t.deepEqual(names(every(15 * SECOND, 9, noon), 'runaway_loop'), []);
  t.deepEqual(names(every(40 * SECOND, 12, noon), 'runaway_loop'), []);
});

test('loop: uneven payments are none, unless they count their attempts up', t => {
  const uneven = [0, 1, 2, 60, 61, 62, 150, 151, 250, 251, 252].map(second => ({ at: noon + second * SECOND }));
  t.deepEqual(names(uneven, 'runaway_loop'), []);
  t.is(
    names(
      uneven.map((step, index) => ({ ...step, attempt: index + 1 })),
      'runaway_loop',
    ).length,
    2,
  );
});

test('loop: the fewer payments there are, the more regular they have to be', t => {
  const gaps = [20, 6, 14, 26, 9, 17, 23, 5, 13];
  const loop = (rounds: number) => {
    let at = noon;
    const more = Array.from({ length: rounds }, () => gaps).flat();
    return [{ at }, ...more.map(gap => ({ at: (at += gap * SECOND) }))];
  };
  const [few, many] = [loop(1), loop(3)].map(steps => names(steps, 'runaway_loop').length);
  t.is(few, 0, 'nine gaps that vary by 0.47 are chance');
  t.true((many ?? 0) > 0, 'twenty are not');
});

test('loop: payments for different things are none', t => {
  const steps = every(10 * SECOND, 20, noon).map((step, index) => ({ ...step, resource_key: `r${index}` }));
  t.deepEqual(names(steps, 'runaway_loop'), []);
});

test('loop: nothing settled makes it critical', t => {
  t.is(play(every(10 * SECOND, 10, noon, { type: 'payment.authorized' }), 'runaway_loop')[0]?.score, 90);
});

test('loop: a loop that begins among other payments is found', t => {
  const before = [0, 3, 40, 41, 90].map(second => ({ at: noon + second * SECOND }));
  t.true(names([...before, ...every(10 * SECOND, 12, noon + 120 * SECOND)], 'runaway_loop').length > 0);
});

test('loop: a batch that the agent pays on other days too is none, unless it is much larger, for another payee or fails', t => {
  const batch = (day: number, more: Partial<EventStep> = {}, count = 12) =>
    every(10 * SECOND, count, noon + day * DAY, { usd: 0.05, ...more }).map((step, index) => ({
      ...step,
      payment_id: `d${day}-${index}`,
    }));
  const days = (...batches: EventStep[][]) => {
    const steps = batches.flat();
    const told = play(steps, 'runaway_loop').map(({ seq }) => steps[seq - 1]?.at ?? noon);
    return [...new Set(told.map(at => Math.floor((at - noon) / DAY)))];
  };
  t.deepEqual(days(batch(0), batch(1), batch(2), batch(5)), [0, 1]);
  t.deepEqual(days(batch(0), batch(1), batch(2, {}, 24), batch(3, {}, 30)), [0, 1, 3]);
  t.deepEqual(days(batch(0), batch(1), batch(2, { payee_id: 'pye_2' })), [0, 1, 2]);
  t.deepEqual(days(batch(0), batch(1), batch(2, { type: 'payment.failed' })), [0, 1, 2]);
  t.deepEqual(days(batch(0), batch(1), batch(2, { usd: 5 })), [0, 1, 2], 'a hundred times the money');
  t.deepEqual(days(batch(0, {}, 60), batch(1)), [0, 1], 'one batch, however long, is one');
  const large =
    (size: number, gap: number) =>
    (day: number, more: Partial<EventStep> = {}) =>
      batch(day, more, size).map((step, index) => ({ ...step, at: noon + day * DAY + index * gap }));
  const [few, many] = [large(150, 2 * SECOND), large(300, 4 * SECOND)];
  t.deepEqual(days(few(0), few(1), few(2), few(3)), [0, 1], 'batches that leave room for one before them');
  t.deepEqual(days(many(0), many(1), many(2), many(3)), [0, 1], 'and for none');
  t.deepEqual(days(many(0), many(1), many(2), many(3, { usd: 1 })), [0, 1, 3]);
  t.deepEqual(days(many(0), many(1), many(2), many(3, { payee_id: 'pye_2' })), [0, 1, 3]);
  const dearer = batch(2, { usd: 0.06 }, 24);
  t.deepEqual(days(batch(0, {}, 24), batch(1, {}, 24), dearer), [0, 1], 'a batch counts whole');
});

test('loop: one among the steady payments of a busy agent is told, however many its hours have', t => {
  for (const [an_hour, size, gap] of [
    [100, 60, 3],
    [300, 250, 1],
    [12, 12, 15],
  ] as const) {
    const steady = every(HOUR / an_hour, 49 * an_hour, noon - 48 * HOUR).map((step, index) => ({
      ...step,
      usd: 0.1,
      resource_key: `r${index}`,
    }));
    const loop = every(gap * SECOND, size, noon + 7, { usd: 0.1, resource_key: 'same' });
    const steps = [...steady, ...loop].toSorted((one, two) => one.at - two.at);
    t.true(names(steps, 'runaway_loop').length > 0, `${an_hour} an hour`);
  }
});

test('burst: five failures that are at least half of ten minutes raise an alert', t => {
  const failed = every(MINUTE, 5, noon, { type: 'payment.failed' });
  const [finding] = play(failed, 'failed_payment_burst');
  t.is(finding?.score, 50);
  t.is(finding?.title, '5 of 5 payments failed within 10 min');
  t.deepEqual(names(failed.slice(1), 'failed_payment_burst'), []);
  const mixed = every(MINUTE, 5, noon + 1).flatMap(step => [step, { ...step, at: step.at + 5000 }]);
  const sorted = [...failed, ...mixed].toSorted((a, b) => a.at - b.at);
  t.deepEqual(names(sorted, 'failed_payment_burst'), []);
});

test('burst: a payment that failed and then went through has not failed', t => {
  const steps = every(MINUTE, 6, noon).flatMap((step, index) => [
    { ...step, payment_id: `p${index}`, type: 'payment.failed' as const },
    { ...step, at: step.at + 1000, payment_id: `p${index}` },
  ]);
  t.deepEqual(names(steps, 'failed_payment_burst'), []);
});

test('burst: failures among many good payments of the same ten minutes are none', t => {
  const good = every(3 * SECOND, 150, noon);
  const failed = every(500, 5, noon + 451 * SECOND, { type: 'payment.failed' });
  t.deepEqual(names([...good, ...failed], 'failed_payment_burst'), []);
});

test('burst: different sums that fail over two hours are told where hardly any failed before', t => {
  const record = every(12 * HOUR, 20, noon - 10 * DAY);
  const tried = (gap: number, sums: number, from = noon) =>
    every(gap, 6, from, { type: 'payment.failed' }).map((step, index) => ({ ...step, usd: 1 + (index % sums) }));
  const [finding, ...more] = play([...record, ...tried(20 * MINUTE, 6)], 'failed_payment_burst');
  t.is(finding?.title, '6 of 6 payments failed within 2 h');
  t.regex(
    finding?.explanation ?? '',
    /6 different sums, .* at most a third as many failed in any other 2 h; an alert is raised from 6 such failures of 5 sums\.$/,
  );
  t.is(finding?.counted?.payments, finding?.seqs.length);
  t.deepEqual(more, []);
  const told = (steps: EventStep[]) => names(steps, 'failed_payment_burst').length;
  t.is(told([...record, ...tried(30 * MINUTE, 6)]), 0, 'too slow');
  t.is(told([...record, ...tried(20 * MINUTE, 4)]), 0, 'what is tried again and again');
  t.is(told([...record.slice(-13), ...tried(20 * MINUTE, 6)]), 0, 'a short record');
  const before = tried(20 * MINUTE, 6, noon - 5 * DAY + HOUR).slice(0, 3);
  const steps = [...record, ...before].toSorted((a, b) => a.at - b.at);
  t.is(told([...steps, ...tried(20 * MINUTE, 6)]), 0, 'half as many have failed before');
  t.is(play([...record, ...tried(20 * MINUTE, 6)], 'failed_payment_burst', { params: { least: 7 } }).length, 0);
});

test('burst: a smaller share of failures is told where they went to payees that the agent had not paid', t => {
  const shops = every(12 * HOUR, 20, noon - 11 * DAY).map((step, index) => ({
    ...step,
    payee_id: `shop-${index % 6}`,
  }));
  const tried = (payees: string, failing = 3) =>
    every(20 * SECOND, 16, noon).map((step, index) => ({
      ...step,
      usd: 1 + index / 100,
      payee_id: `${payees}-${payees === 'shop' ? index % 6 : index}`,
      ...(index % failing === 0 && { type: 'payment.failed' as const }),
    }));
  const told = (steps: EventStep[]) => play([...shops, ...steps], 'failed_payment_burst');
  const last = told(tried('new')).at(-1);
  t.is(last?.title, '6 of 16 payments failed within 10 min');
  t.regex(
    last?.explanation ?? '',
    /; they went to 6 payees, 5 of them or more not paid before, as when a stolen card is tried; .* at least 25% of all\.$/,
  );
  t.deepEqual(told(tried('shop')), [], 'it has paid them before');
  t.deepEqual(told(tried('new', 5)), [], 'most went through');
});
