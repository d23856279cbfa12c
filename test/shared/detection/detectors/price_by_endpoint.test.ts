import test from 'ava';
import { events, HOUR, noon, type EventStep, play } from '#test/helpers/play.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';
import { askedPayments } from '#shared/detection/load/load_endpoints.ts';
import { emptyHistory, remember } from '#shared/detection/model/history.ts';
import { LATEST_LIKE } from '#shared/detection/model/price_record.ts';
import { withEvent } from '#shared/events/log/payment.ts';
import { DAY, MINUTE } from '#shared/values/time.ts';

const told = (steps: EventStep[]) => play(steps, 'price_drift', {});

/** Calls of one endpoint by one tool, each with a query of its own. */
const calls = (count: number, more: (index: number) => Partial<EventStep> = () => ({})): EventStep[] =>
  Array.from({ length: count }, (_, index) => ({
    at: noon - (count - index) * HOUR,
    usd: 0.02,
    payee_id: 'api',
    tool_key: 'geocode',
    resource_key: `https://api.example.com/v1/geocode?q=${index}`,
    ...more(index),
  }));
const dear = (more: Partial<EventStep> = {}): EventStep => ({
  ...calls(1)[0],
  at: noon,
  usd: 0.82,
  resource_key: 'https://api.example.com/v1/geocode?q=x',
  ...more,
});

test('a call that costs much more than all before is told, whatever was asked for', t => {
  const [finding, ...more] = told([...calls(6), dear()]);
  t.deepEqual(more, []);
  t.is(finding?.title, '$0.82 to {payee} for what usually costs $0.02');
  t.regex(
    finding?.explanation ?? '',
    /41 times the median of \$0\.02 over the agent's last 6 settled payments for the same resource, whatever its query, of which none was above \$0\.02\./,
  );
});

test('another endpoint, another tool, prices that vary and too few payments tell nothing of a price', t => {
  const none = (steps: EventStep[], why: string) => t.deepEqual(told(steps), [], why);
  none([...calls(6), dear({ resource_key: 'https://api.example.com/v1/report?q=x' })], 'another endpoint');
  none([...calls(6), dear({ tool_key: 'report' })], 'another tool');
  none([...calls(6, index => ({ usd: 0.02 + index / 100 })), dear()], 'no price of its own');
  none([...calls(4), dear()], 'too few');
  none([...calls(6), dear({ resource_key: 'no address' })], 'what is no address has no query');
});

test('what is ten times as much may be for ten at once, unless nothing ever was for several', t => {
  t.deepEqual(told([...calls(11), dear({ usd: 0.2 })]), []);
  t.is(told([...calls(12), dear({ usd: 0.2 })]).length, 1);
  t.deepEqual(told([...calls(12, index => (index === 3 ? { usd: 0.06 } : {})), dear({ usd: 0.2 })]), []);
});

test('a second price is told at first, and is on the list of prices when it has been paid three times', t => {
  const steps = calls(100, index => (index % 24 === 23 ? { usd: 0.31 } : {}));
  t.deepEqual(
    told(steps).map(({ seqs }) => seqs),
    [[24], [48], [72]],
  );
});

test('what is settled without its address is of the endpoint that was authorized', t => {
  const reported = [...calls(6), dear()].flatMap((call, index): EventStep[] => [
    { ...call, payment_id: `p-${index}`, type: 'payment.authorized' },
    { ...call, payment_id: `p-${index}`, at: call.at + 1_000, resource_key: null, tool_key: null },
  ]);
  t.is(told(reported).length, 1);
});

test('few endpoints are asked for, however many prices a payee has and whoever pays it', t => {
  const asked = (usd: number) => {
    const list = events([
      // Prices from $0.02 to $0.21, each paid ten times.
      ...calls(200, index => ({ usd: 0.02 + (index % 20) / 100, tool_key: null })),
      dear({ usd, tool_key: null }),
    ]);
    const history = emptyHistory();
    for (const past of list.slice(0, -1)) remember(history, withEvent(undefined, past));
    const known = { histories: new Map([['agt_1', history]]), payees: new Map([['api', { payers: [] }]]) };
    return askedPayments(list.slice(-1), known).map(({ payment_id }) => payment_id);
  };
  t.deepEqual(asked(0.2), []);
  t.true(asked(0.82).includes('pay_201'));
  // The latest like it, one more that the event might push out, and itself.
  t.is(asked(0.82).length, LATEST_LIKE + 2);
});

test('a dearer call is told however the log is cut', async t => {
  const start = Date.now() - DAY;
  const call = (agent: string, minutes: number, cents: string, path: string) =>
    event({
      agent,
      at: start + minutes * MINUTE,
      cents,
      payee: 'domain:api.example.com',
      more: {
        resource_url: `https://api.example.com/${path}?q=${minutes}`,
        context: { tool_name: 'lookup', tool_call_id: `${agent} ${minutes}` },
      },
    });
  const agents = ['same', 'other'];
  const events = [
    ...Array.from({ length: 6 }, (_, index) => agents.map(agent => call(agent, 20 * index, '13', 'v1/geocode'))).flat(),
    // What was never settled is held against nothing.
    ...Array.from({ length: 45 }, (_, index) => ({
      ...call('same', 121 + index, '13', 'v1/geocode'),
      type: 'payment.authorized',
      payment: {
        ...(call('same', 121 + index, '13', 'v1/geocode') as unknown as { payment: object }).payment,
        status: 'authorized',
      },
    })),
    call('same', 200, '531', 'v1/geocode'),
    call('other', 200, '531', 'v1/report'),
  ];
  for (const limit of [100, 7]) {
    const { as, analyze } = await world(t);
    const { body } = await as.post('/v1/events', { events });
    t.is(body.accepted, events.length, JSON.stringify(body.results));
    await analyze({ limit });
    const { data } = (await as.get('/v1/alerts')).body;
    t.deepEqual(
      data.map(({ title }: { title: string }) => title),
      ['$5.31 to api.example.com for what usually costs $0.13'],
    );
  }
});
