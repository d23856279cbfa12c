import test, { type ExecutionContext } from 'ava';
import { askedPayments } from '#shared/detection/load/load_endpoints.ts';
import { emptyHistory, MOST_PAYMENTS, remember } from '#shared/detection/model/history.ts';
import { withEvent } from '#shared/events/log/payment.ts';
import { DAY, MINUTE } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { events, type EventStep, HOUR, noon } from '#test/helpers/play.ts';
import { world } from '#test/helpers/world.ts';

const start = Date.now() - DAY;
const call = (minutes: number, cents: string, more: object = {}) =>
  event({
    agent: 'caller',
    at: start + minutes * MINUTE,
    cents,
    payee: 'domain:api.example.com',
    more: { resource_url: `https://api.example.com/v1/geocode?q=${minutes}`, ...more },
  });

/** The same payment as it was asked for, a moment before. */
const requested = (settled: ReturnType<typeof call>, more: object) => ({
  ...settled,
  resource_url: undefined,
  ...more,
  id: call(0, '1').id,
  type: 'payment.requested',
  payment: { ...(settled as unknown as { payment: object }).payment, status: 'pending' },
});

async function toldWhenCut(t: ExecutionContext, sent: object[], limits: number[]) {
  for (const limit of limits) {
    const { as, analyze } = await world(t);
    const { body } = await as.post('/v1/events', { events: sent });
    t.is(body.accepted, sent.length);
    await analyze({ limit });
    const { data } = (await as.get('/v1/alerts?detector=price_drift')).body;
    t.deepEqual(
      data.map(({ title }: { title: string }) => title),
      ['$5.31 to api.example.com for what usually costs $0.13'],
      `limit ${limit}`,
    );
  }
}

test('a request that comes late and names the tool of an earlier payment changes nothing, however the log is cut', async t => {
  const tool = { context: { tool_name: 'lookup' } };
  const settled = Array.from({ length: 13 }, (_, index) => call(10 * index + 1, '13'));
  const late = settled.map(each => requested(each, tool));
  await toldWhenCut(t, [call(0, '13', tool), ...settled, ...late, call(200, '531', tool)], [14, 1_000]);
});

test('a request among them that was never paid changes nothing, however the log is cut', async t => {
  const calls = Array.from({ length: 30 }, (_, index) => call(10 * index + 1, '13'));
  const sent = calls.map((each, index) =>
    index === 4 ? { ...requested(each, {}), resource_url: 'https://api.example.com/v1/geocode?q=x' } : each,
  );
  await toldWhenCut(t, [...sent, call(400, '531')], [30, 1_000]);
});

test('a payment that is reported again and again asks for no more than is at hand', t => {
  const step: EventStep = { at: noon, usd: 0.02, payee_id: 'api', resource_key: 'https://api.example.com/v1/geocode' };
  const list = events([
    ...Array.from({ length: MOST_PAYMENTS }, (_, index) => ({ ...step, at: noon - (MOST_PAYMENTS - index) * HOUR })),
    ...Array.from({ length: 4_000 }, (_, index) => ({
      ...step,
      at: noon + 4_000 - index,
      usd: 0.9,
      payment_id: 'again',
      tool_key: index % 2 === 0 ? 'x' : null,
    })),
  ]);
  const history = emptyHistory();
  for (const past of list.slice(0, MOST_PAYMENTS)) remember(history, withEvent(undefined, past));
  const known = { histories: new Map([['agt_1', history]]), payees: new Map([['api', { payers: [] }]]) };
  t.true(askedPayments(list.slice(MOST_PAYMENTS), known).length <= MOST_PAYMENTS + 1);
});
