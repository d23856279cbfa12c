import test, { type ExecutionContext } from 'ava';
import { keccak256, toHex } from 'viem';
import { runBacktest } from '#shared/detection/backtest/run.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { prune } from '#shared/running/work/prune.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { effectiveParams } from '#shared/detection/settings/detector_settings.ts';
import { beginBacktest, saveProgress } from '#shared/detection/backtest/backtest_claims.ts';
import { DAY, HOUR, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { contents } from '#test/helpers/contents.ts';
import { event, type EventOptions } from '#test/helpers/make.ts';
import { signPayment, testUsdc, wallet } from '#test/helpers/proofs/x402.ts';
import { budget, type Flow, flow, noon } from '#test/shared/assessment/flow.ts';
import { endOf } from '#test/helpers/job.ts';
import { createHandler as createBacktestHandler } from '#workers/handlers/backtest.ts';

const whole = { from: timestamp(noon - 60 * DAY), to: timestamp(noon + DAY) };

/** What a worker does with the job of a back-test. */
const work = (w: Flow, backtest_id: string, stopping = new AbortController().signal) =>
  endOf(createBacktestHandler(w.services, stopping)({ ...w.tenant, backtest_id }));

/** Asks for a back-test; answers with its id. */
async function ask(t: ExecutionContext, w: Flow, detector: string, body: object = {}): Promise<string> {
  const reply = await w.admin.post(`/v1/detectors/${detector}/backtest`, { ...whole, ...body });
  t.is(reply.status, 202, JSON.stringify(reply.body));
  return reply.body.id;
}

const read = async (w: Flow, id: string) => (await w.as.get(`/v1/backtests/${id}`)).body;

/** A back-test that a worker has gone through. */
async function tried(t: ExecutionContext, w: Flow, detector: string, body: object = {}) {
  const id = await ask(t, w, detector, body);
  await work(w, id);
  return read(w, id);
}

const many = (count: number, of: (index: number) => EventOptions & { at: number }) =>
  Array.from({ length: count }, (_, index) => {
    const { at, ...options } = of(index);
    return event({ at: noon + at, ...options });
  });

/** An x402 payment with an authorization that may be another's too. */
async function x402(w: Flow, at: number, payment_id: string) {
  const signed = {
    nonce: keccak256(toHex('one')),
    valid_after: noon / SECOND - 600,
    valid_before: noon / SECOND + 7_200,
  };
  const { payload } = await signPayment(signed);
  const { network, address } = testUsdc;
  const made = w.pay({ at, rail: 'x402', payment_id });
  return {
    ...made,
    payment: {
      ...(made['payment'] as object),
      amount: { value: '10000', unit: 'atomic', asset: { network, address } },
      payee: { key: `${network}:${wallet('seller').address}` },
    },
    evidence: [{ kind: 'x402.payment_payload', value: payload }],
  };
}

/** Payments of a month with something for many detectors, analyzed as they would have been. */
async function busyMonth(w: Flow): Promise<void> {
  await w.mandate([budget(20)], { valid_from: timestamp(noon - DAY) });
  await w.send([
    ...many(60, index => ({ at: (index - 60) * 8 * HOUR, agent: 'steady', cents: String(900 + (index % 20)) })),
    // A refund that came much later must not make the past look cheaper than it was.
    ...many(5, index => ({
      at: -9 * DAY + index * MINUTE,
      agent: 'lavish',
      cents: String(4000 + index),
      payment_id: `l-${index}`,
    })),
    ...many(30, index => ({ at: index * 1_500, agent: 'fast', cents: '10', payee: `domain:p${index}.example.com` })),
    ...many(1, () => ({ at: MINUTE, agent: 'steady', cents: '40000' })),
    ...many(6, index => ({ at: index * 30_000, agent: 'unlucky', type: 'payment.failed', cents: '700' })),
    ...many(2, index => ({ at: index * 32_000, agent: 'double', cents: '2500', payee: 'domain:x.example.com' })),
    ...many(12, index => ({ at: index * 10_000, agent: 'loop', cents: '50', payee: 'domain:loop.example.com' })),
    ...[0, 1, 2].map(minute => w.pay({ at: minute * MINUTE, cents: '1000' })),
    await x402(w, 5 * MINUTE, 'first'),
    await x402(w, 6 * MINUTE, 'second'),
    ...many(5, index => ({ at: HOUR + index * MINUTE, agent: 'lavish', cents: '9000' })),
    ...many(5, index => ({
      at: 2 * HOUR,
      agent: 'lavish',
      cents: '3900',
      payment_id: `l-${index}`,
      type: 'payment.refunded',
    })),
  ]);
  await w.analyze({ limit: 23 });
}

async function all<T>(steps: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const step of steps) list.push(step);
  return list;
}

const inWords = (list: { agent_id: string; score: number; title: string; explanation: string }[]) =>
  list.map(({ agent_id, score, title, explanation }) => [agent_id, score, title, explanation].join(' | ')).toSorted();

test('a back-test with the parameters of that time finds what detection found, and changes nothing', async t => {
  const w = await flow(t, { thresholds: true });
  await busyMonth(w);
  const assessor = w.assessor;
  const before = await contents(w.db);
  const counts: Record<string, number> = {};
  for (const detector of detectors.filter(each => !each.off_by_default)) {
    const asked = {
      ...whole,
      detector: detector.name,
      params: effectiveParams(detector, {}),
      by_parameters: true,
      cooldown_s: 86_400,
    };
    const steps = await all(runBacktest(w.db, w.tenant, asked, { assessor, now: w.services.now() }));
    const alerts = await w.alerts(`detector=${detector.name}`);
    const last = steps.at(-1);
    t.is(last?.findings, alerts.length, detector.name);
    t.deepEqual([last?.events, last?.failures, last?.truncated], [131, 0, false], detector.name);
    const scores = last?.best.map(({ finding }) => finding.score) ?? [];
    t.deepEqual(
      scores,
      alerts.map(({ score }: { score: number }) => score).toSorted((x: number, y: number) => y - x),
      detector.name,
    );
    if (alerts.length > 0) counts[detector.name] = alerts.length;
  }
  t.is(await contents(w.db), before);
  for (const name of ['velocity_count', 'spend_velocity', 'amount_outlier', 'mandate_breach', 'budget_threshold'])
    t.true((counts[name] ?? 0) > 0, `${name}: ${JSON.stringify(counts)}`);
  t.is(counts['replayed_authorization'], 1);
});

test('what it shows is in the words of the alerts', async t => {
  const w = await flow(t, { thresholds: true });
  await busyMonth(w);
  for (const detector of ['spend_velocity', 'mandate_breach', 'replayed_authorization', 'new_payee_high_amount']) {
    const { sample, findings, state, progress } = await tried(t, w, detector);
    const alerts = await w.alerts(`detector=${detector}`);
    t.deepEqual(inWords(sample), inWords(alerts), detector);
    t.deepEqual([findings, state, progress], [alerts.length, 'done', 1], detector);
  }
});

test('other parameters, and another time, find more or less', async t => {
  const w = await flow(t, { thresholds: true });
  await w.send([
    ...many(8, index => ({ at: index * SECOND, agent: 'eight', cents: '10' })),
    ...many(30, index => ({ at: index * SECOND, agent: 'thirty', cents: '10' })),
    ...many(30, index => ({ at: -3 * DAY + index * SECOND, agent: 'thirty', cents: '10' })),
  ]);
  await w.analyze();
  const found = async (body: object) => {
    const { findings, events, alerts_per_10000_events } = await tried(t, w, 'velocity_count', body);
    return [findings, events, alerts_per_10000_events];
  };
  t.deepEqual(await found({}), [2, 68, 294.12]);
  t.deepEqual(await found({ params: { per_minute: 8 } }), [3, 68, 441.18]);
  t.deepEqual(await found({ params: { per_minute: 40 } }), [0, 68, 0]);
  t.deepEqual(await found({ from: timestamp(noon) }), [1, 38, 263.16]);
  t.deepEqual(await found({ to: timestamp(noon) }), [1, 30, 333.33], 'a log that was filled later');
  t.deepEqual(await found({ to: timestamp(noon - 20 * DAY) }), [0, 0, null]);
});

test('a back-test tells how far it is, and that there was more than it goes through', async t => {
  const w = await flow(t, { thresholds: true });
  await w.send(many(1_200, index => ({ at: index * SECOND, agent: `a${index % 40}`, cents: '10' })));
  await w.analyze();
  const asked = { ...whole, detector: 'velocity_count', params: {}, by_parameters: true, cooldown_s: 86_400 };
  const steps = async (most_events?: number) => {
    const options = { assessor: w.assessor, now: w.services.now(), ...(most_events && { most_events }) };
    const states = await all(runBacktest(w.db, w.tenant, asked, options));
    return states.map(({ progress, events, truncated }) => [Math.round(progress * 100), events, truncated]);
  };
  t.deepEqual(await steps(), [
    [42, 500, false],
    [83, 1_000, false],
    [100, 1_200, false],
    [100, 1_200, false],
  ]);
  t.deepEqual((await steps(700)).at(-1), [100, 700, true]);
});

const reconcile = (w: Flow) => reconcileKind('backtest', w.services);

test('a back-test whose worker is killed is begun again by another, three times at most', async t => {
  const w = await flow(t, { thresholds: true });
  const [id, lost] = [await ask(t, w, 'velocity_count'), await ask(t, w, 'velocity_count')];
  let now = w.services.now();
  const pass = async () => {
    w.moveTo((now += 2 * MINUTE));
    await reconcile(w);
  };
  t.truthy(await beginBacktest(w.db, w.tenant, id, now));
  await work(w, id);
  t.is((await read(w, id)).state, 'running', 'it is in the hands of the first');
  await pass();
  t.is((await read(w, id)).state, 'queued');
  await work(w, id);
  const done = await read(w, id);
  t.is(done.state, 'done');
  await work(w, id);
  t.deepEqual(await read(w, id), done, 'a job that comes once more finds nothing to do');
  for (let time = 0; time < 3; time += 1) {
    t.truthy(await beginBacktest(w.db, w.tenant, lost, now));
    const ended = { ...w.tenant, backtest_id: lost };
    if (time === 0) await jobKinds.backtest.letGo?.({ ...w.services, now: () => now }, ended, 'ended');
    else await pass();
  }
  t.is(await beginBacktest(w.db, w.tenant, lost, now), null);
  const failed = await read(w, lost);
  t.deepEqual(
    [failed.state, failed.error],
    ['failed', 'The service could not go through with it; it was tried 3 times.'],
  );
  t.truthy(failed.finished_at);
  await prune({ ...w.services, now: () => now + 91 * DAY });
  t.deepEqual((await w.as.get('/v1/backtests')).body.data, [], 'and can be read for 90 days');
});

test('how far a back-test is never goes back, even where it is begun again', async t => {
  const w = await flow(t, { thresholds: true });
  const id = await ask(t, w, 'velocity_count');
  const now = w.services.now();
  const shown = async () => {
    const { state, progress, events, findings } = await read(w, id);
    return [state, progress, events, findings];
  };
  const got = async (progress: number) => {
    const held = await beginBacktest(w.db, w.tenant, id, now);
    const made = { progress, events: 1_000 * progress, findings: 1, sample: [], truncated: false };
    return held && saveProgress(w.db, w.tenant, held, made, now);
  };
  t.true(await got(0.5));
  w.moveTo(now + 2 * MINUTE);
  await reconcile(w);
  t.deepEqual(await shown(), ['queued', 0.5, 500, 1]);
  t.true(await got(0.25));
  t.deepEqual(await shown(), ['running', 0.5, 500, 1]);
  w.moveTo(now + 4 * MINUTE);
  await reconcile(w);
  t.true(await got(0.75));
  t.deepEqual(await shown(), ['running', 0.75, 750, 1]);
});

test('a worker that is told to stop gives its back-test back, and that is no attempt', async t => {
  const w = await flow(t, { thresholds: true });
  await w.send(many(3, index => ({ at: index * SECOND })));
  await w.analyze();
  const id = await ask(t, w, 'velocity_count');
  for (let time = 0; time < 5; time += 1) await work(w, id, AbortSignal.abort());
  t.is((await read(w, id)).state, 'queued');
  t.is(await reconcile(w), 1);
  await work(w, id);
  t.like(await read(w, id), { state: 'done', events: 3 });
});

test('what did not happen is found by when events were received, with what came before and after the time that is asked for', async t => {
  const w = await flow(t, { thresholds: true });
  const x402 = (payment_id: string, type: string, at: number) =>
    event({ at: noon + at, rail: 'x402', payment_id, type });
  const first = -160 * 10 * MINUTE;
  await w.send([
    ...Array.from({ length: 157 }, (_, index) => event({ at: noon + first + index * 10 * MINUTE })),
    x402('heard of', 'payment.authorized', -30 * MINUTE),
    x402('lost', 'payment.authorized', -20 * MINUTE),
    x402('heard of', 'payment.settled', -18 * MINUTE),
  ]);
  await w.analyze();
  // Received as they occurred; then nothing more.
  await w.asOwner('update events set received_at = occurred_at');
  const late = { from: timestamp(noon - 25 * MINUTE), to: timestamp(noon) };
  const found = async (detector: string, body: object) => {
    const { findings, sample, events } = await tried(t, w, detector, body);
    return [findings, events, sample[0]?.subject ?? null];
  };
  t.deepEqual(await found('settlement_missing', {}), [1, 160, 'lost']);
  t.deepEqual(await found('settlement_missing', late), [1, 2, 'lost']);
  t.deepEqual(await found('settlement_missing', { to: late.from }), [0, 158, null]);
  t.deepEqual(await found('settlement_missing', { params: { x402_s: 5 * 60 } }), [2, 160, 'heard of']);
  t.deepEqual(await found('settlement_missing', { params: { x402_s: 86_400 } }), [0, 160, null]);
  const [stored] = (await w.as.get('/v1/events')).body.data;
  t.deepEqual(await found('silent_source', late), [1, 2, stored.source_id]);
  t.deepEqual(await found('silent_source', { to: timestamp(noon - 19 * MINUTE) }), [0, 159, null], 'it went on');
});
