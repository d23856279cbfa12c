import test from 'ava';
import type { Params, TimedDetector } from '#shared/detection/model/detector.ts';
import { settlementMissing } from '#shared/detection/detectors/settlement_missing.ts';
import { silentSource } from '#shared/detection/detectors/silent_source.ts';
import { DAY } from '#shared/values/time.ts';
import { events, every, HOUR, MINUTE, noon, SECOND, type EventStep } from '#test/helpers/play.ts';

/** Takes events through a detector of what does not happen, as a back-test does. Answers with what was found, and of which event. */
function replay(detector: TimedDetector, steps: EventStep[], until: number, params: Params = {}) {
  const { take, end } = detector.replay(params);
  const found = [...events(steps).flatMap(take), ...end(until)];
  return found.map(({ event, finding }) => ({ seq: event.chain_seq, ...finding }));
}

const authorized = (at: number, step: Partial<EventStep> = {}): EventStep => ({
  at,
  type: 'payment.authorized',
  rail: 'x402',
  ...step,
});

const missing = (steps: EventStep[], until: number, params?: Params) => replay(settlementMissing, steps, until, params);
const seqsOf = (found: { seq: number }[]) => found.map(({ seq }) => seq);

test('an x402 payment of which nothing is heard for 15 minutes is told of, with what to do', t => {
  const steps = [authorized(noon, { payment_id: 'pay_lost', usd: 12 })];
  t.deepEqual(missing(steps, noon + 15 * MINUTE - 1), []);
  t.deepEqual(missing(steps, noon + 15 * MINUTE), [
    {
      seq: 1,
      score: 45,
      subject: 'pay_lost',
      seqs: [1],
      title: 'Payment of $12.00 to {payee} authorized, with no report since',
      explanation:
        'A payment of $12.00 to {payee} over x402 was authorized at 2026-11-20 12:00:00 UTC. Within 15 min, no report followed that ' +
        'it was settled, failed or canceled. An alert is raised after 15 min over x402. It is this agent’s first payment over x402 to ' +
        'come due. Check on the chain whether the money has moved before paying again: a client may report a failure although the ' +
        'chain has confirmed the payment.',
    },
  ]);
});

test('a card has eight days, other rails are never waited for, and both times can be set', t => {
  const card = [authorized(noon, { rail: 'card' })];
  t.deepEqual(missing(card, noon + 8 * DAY - 1), []);
  t.deepEqual(seqsOf(missing(card, noon + 8 * DAY)), [1]);
  t.deepEqual(seqsOf(missing(card, noon + 60 * SECOND, { card_s: 60 })), [1]);
  t.deepEqual(seqsOf(missing([authorized(noon)], noon + 5 * SECOND, { x402_s: 5 })), [1]);
  t.deepEqual(missing([authorized(noon, { rail: 'sepa' })], noon + 300 * DAY), []);
});

for (const type of [
  'payment.settled',
  'payment.failed',
  'payment.canceled',
  'payment.refunded',
  'payment.disputed',
] as const) {
  test(`an authorized payment that was reported as ${type.slice('payment.'.length)}, before or after, is not missing`, t => {
    const of = { payment_id: 'pay_a' };
    t.deepEqual(missing([authorized(noon, of), { at: noon + MINUTE, type, ...of }], noon + DAY), []);
    t.deepEqual(missing([{ at: noon, type, ...of }, authorized(noon + MINUTE, of)], noon + DAY), []);
    t.deepEqual(seqsOf(missing([authorized(noon, of), { at: noon + HOUR, type, ...of }], noon + DAY)), [1], 'too late');
    const stranger = { at: noon + MINUTE, type, ...of, agent_id: 'agt_2' };
    t.deepEqual(seqsOf(missing([authorized(noon, of), stranger], noon + DAY)), [1], 'of another agent');
  });
}

test('a payment that was requested or authorized again is still missing, and a late upload is waited for from its arrival', t => {
  const of = { payment_id: 'pay_a' };
  const again = [authorized(noon, of), { at: noon + MINUTE, type: 'payment.requested' as const, ...of }];
  t.deepEqual(seqsOf(missing([...again, authorized(noon + 2 * MINUTE, of)], noon + HOUR)), [1, 3]);
  const late = [authorized(noon - DAY, { received_at: noon })];
  t.deepEqual(missing(late, noon + 14 * MINUTE), []);
  t.regex(missing(late, noon + 15 * MINUTE)[0]?.explanation ?? '', /11-19 12:00:00 UTC \(reported at 2026-11-20 12:00/);
});

test('where the settlements of an agent are seldom reported, one that is not is no news', t => {
  const found = missing(
    every(HOUR, 40, noon, authorized(0)).map((step, index) => ({ ...step, at: noon + index * HOUR })),
    noon + 3 * DAY,
  );
  t.deepEqual(seqsOf(found), [1, 2, 3, 4, 5]);
  const usual = Array.from({ length: 30 }, (_, index): EventStep[] => {
    const of = { payment_id: `pay_${index}` };
    const report: EventStep = { at: noon + index * HOUR + MINUTE, type: 'payment.settled', rail: 'x402', ...of };
    return [authorized(noon + index * HOUR, of), ...(index === 20 || index === 25 ? [] : [report])];
  });
  const rare = missing(usual.flat(), noon + 3 * DAY);
  t.deepEqual(
    rare.map(({ subject }) => subject),
    ['pay_20', 'pay_25'],
  );
  t.regex(
    rare[1]?.explanation ?? '',
    /Of this agent’s 20 authorizations over x402 before it, 19 were followed up in time\./,
  );
});

const silent = (steps: EventStep[], until: number, params?: Params) => replay(silentSource, steps, until, params);

/** Days of a source that sends an event a minute from `from` to `to` o'clock; days are counted from a Friday, those in `off` are left out. */
const days = (count: number, from = 0, to = 24, off: number[] = []): EventStep[] =>
  Array.from({ length: count }, (_, day) =>
    off.includes(day % 7) ? [] : every(MINUTE, (to - from) * 60, midnight + day * DAY + from * HOUR),
  ).flat();
const midnight = noon - 12 * HOUR;

test('a source that sent an event a minute for days and then none is told of once, with its rhythm', t => {
  const steps = days(2);
  const last = midnight + 2 * DAY - MINUTE;
  t.deepEqual(silent(steps, last + 10 * MINUTE - 1), []);
  const [finding, ...others] = silent(steps, last + DAY);
  t.deepEqual(others, []);
  t.like(finding, { seq: 2 * 24 * 60, score: 40, subject: 'src_1', title: 'A source has been silent for 10 min' });
  t.is(
    finding?.explanation,
    'Nothing has arrived from this source since 2026-11-21 23:59:00 UTC. In 99 of 100 cases its next event arrived within 1 min. An alert ' +
      'is raised after 10 min, which is the longest of 5 times that gap, 10 min, 1.2 times the longest pause it usually makes (1 min in ' +
      'the last 30 d). Its payments are not monitored meanwhile: check that it still runs and can reach this service, or disable it.',
  );
});

test('a source that sends an event an hour is told of after five hours, and one of seconds not before ten minutes', t => {
  const hourly = every(HOUR, 120, noon);
  const last = noon + 119 * HOUR;
  t.deepEqual(silent(hourly, last + 5 * HOUR - 1), []);
  t.is(silent(hourly, last + 5 * HOUR)[0]?.title, 'A source has been silent for 5 h');
  const fast = every(20 * SECOND, 5 * 24 * 60, noon);
  t.deepEqual(silent(fast, (fast.at(-1)?.at ?? 0) + 10 * MINUTE - 1), []);
  t.is(silent(fast, (fast.at(-1)?.at ?? 0) + 10 * MINUTE).length, 1);
});

test('each silence is told of, also one that is no longer than the one before', t => {
  const day = (number: number, hours: number) => every(MINUTE, hours * 60, midnight + number * DAY);
  const outages = [...days(2), ...day(2, 20), ...day(3, 20), ...day(4, 20)];
  const told = silent(outages, midnight + 5 * DAY);
  t.deepEqual(
    told.map(({ explanation }) => /since (\S+)/.exec(explanation)?.[1]),
    ['2026-11-22', '2026-11-23'],
  );
});

test('nights are no silence, and weekends are none, the first one included', t => {
  t.deepEqual(silent(days(10, 8, 20), midnight + 10 * DAY), []);
  const weekends = days(60, 8, 20, [3, 4]);
  t.deepEqual(silent(weekends, midnight + 60 * DAY), []);
  const [gone, ...others] = silent(days(4, 8, 20), midnight + 60 * DAY);
  t.deepEqual([gone?.title, others], ['A source has been silent for 3 d', []]);
  t.regex(gone?.explanation ?? '', /, 3 d while it is new and rests every day\. /);
  t.is(silent(days(30, 8, 20), midnight + 32 * DAY).length, 1, 'but a day off is');
});

test('a source without a rhythm is never silent: a new one, a rare one, one batch', t => {
  t.deepEqual(silent(every(MINUTE, 500, noon), noon + 9 * DAY), [], 'known for less than a day');
  t.deepEqual(silent(every(6 * HOUR, 100, noon), noon + 300 * DAY), [], 'fewer than 100 gaps');
  const batch = every(SECOND, 5_000, noon, { received_at: noon }).concat(
    every(SECOND, 500, noon, { received_at: noon + 2 * DAY }),
  );
  t.deepEqual(silent(batch, noon + 300 * DAY), []);
  // Bursts of a few events and breaks of hours, none like the other.
  const bursts = Array.from({ length: 200 }, (_, index) =>
    every(20 * SECOND, 1 + ((index * 7) % 11), noon + index * 5 * HOUR + ((index * 37) % 100) * MINUTE),
  );
  t.deepEqual(silent(bursts.flat(), noon + 200 * 5 * HOUR + 12 * HOUR), []);
});

test('a source that becomes slower is told of at first, and then has a new rhythm', t => {
  const slower = [...days(3), ...every(30 * MINUTE, 300, midnight + 3 * DAY)];
  const told = silent(slower, (slower.at(-1)?.at ?? 0) + HOUR);
  t.deepEqual(
    seqsOf(told).map(seq => seq - 3 * 24 * 60),
    [1, 2],
  );
});
