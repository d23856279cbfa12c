import test from 'ava';
import { createClient } from '#api/client/client.ts';
import type { OversightError } from '#api/client/error.ts';
import type { Outcome, Outgoing } from '#api/client/send_events.ts';
import { fakeIngest } from '#test/helpers/fake_ingest.ts';
import { stillClock } from '#test/helpers/still_clock.ts';

const key = 'hk_test_secret';
const eventsOf = (count: number, agents = 7): Outgoing[] =>
  Array.from({ length: count }, (_, index) => {
    const agent = `agent-${index % agents}`;
    return { json: JSON.stringify({ id: `evt_${index}`, n: index, agent: { external_id: agent } }), agent };
  });

async function all<E extends Outgoing>(outcomes: AsyncIterable<Outcome<E>[]>): Promise<Outcome<E>[]> {
  const found: Outcome<E>[] = [];
  for await (const some of outcomes) found.push(...some);
  return found;
}

test('events come back in their order, and each agent’s arrive in theirs', async t => {
  const { url, batches, stored } = await fakeIngest(t);
  const events = eventsOf(5_000);
  const outcomes = await all(
    createClient({ url, key, events: { batch: 100 } }).send([events.slice(0, 10), events.slice(10)]),
  );
  t.deepEqual(
    outcomes.map(({ event }) => event),
    events,
  );
  t.true(outcomes.every(({ status }) => status === 'accepted'));
  t.is(stored.size, 5_000);
  t.true(batches.every(batch => batch.length <= 100));
  for (const agent of new Set(events.map(each => each.agent))) {
    const arrived = batches.flat().filter(event => event.agent?.external_id === agent);
    const numbers = arrived.map(event => (event as { n?: number }).n ?? -1);
    t.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  }
});

test('an event without json of its own comes back in its place and is not sent', async t => {
  const { url, stored } = await fakeIngest(t);
  const refused = { code: 'malformed_json', message: 'It is not JSON.' };
  const [first, last] = eventsOf(2);
  const outcomes = await all(
    createClient({ url, key }).send([[first, { json: '', refused }, last].flatMap(e => e ?? [])]),
  );
  t.deepEqual(
    outcomes.map(({ status, error }) => [status, error?.code]),
    [
      ['accepted', undefined],
      ['rejected', 'malformed_json'],
      ['accepted', undefined],
    ],
  );
  t.is(stored.size, 2);
});

test('a pause that the service asks for is kept, in seconds or until a date', async t => {
  for (const [value, least] of [
    ['7', 7_000],
    [new Date(Date.now() + 60_000).toUTCString(), 50_000],
  ] as const) {
    const instead = (_: unknown, request: number) =>
      request === 1 ? { status: 429, headers: { 'retry-after': value } } : null;
    const { url, stored } = await fakeIngest(t, { instead });
    const { clock, slept } = stillClock();
    const told: string[] = [];
    const client = createClient({ url, key, clock, onWait: reason => told.push(reason) });
    await all(client.send([eventsOf(3)]));
    t.is(stored.size, 3);
    t.true((slept[0] ?? 0) >= least && (slept[0] ?? 0) <= least + 10_000, `${slept}`);
    t.deepEqual(told, ['it answers 429']);
  }
});

test('a pause of nothing, or until a time that is over, is no reason to hurry', async t => {
  for (const value of ['0', new Date(Date.now() - 60_000).toUTCString()]) {
    const instead = (_: unknown, request: number) =>
      request <= 6 ? { status: 503, headers: { 'retry-after': value } } : null;
    const { url, stored } = await fakeIngest(t, { instead });
    const { clock, slept } = stillClock();
    await all(createClient({ url, key, clock, events: { flights: 1 } }).send([eventsOf(3)]));
    t.is(stored.size, 3);
    t.true(slept.reduce((sum, pause) => sum + pause, 0) >= 15_000, `${slept}`);
  }
});

test('a refusal that is not in the words of the service says nothing of the events', async t => {
  const { url, requests } = await fakeIngest(t, { instead: () => ({ status: 400, body: 'Blocked by a firewall' }) });
  const error = await t.throwsAsync<OversightError>(
    all(createClient({ url, key, events: { flights: 1 } }).send([eventsOf(100)])),
  );
  t.regex(error?.message ?? '', /answers 400, not as the service does/);
  t.is(requests(), 2);
});

test('an event that something on the way refuses, or that breaks the service, is set aside, and the others are stored', async t => {
  for (const other of [{ status: 403, body: 'Blocked by a firewall' }, { status: 500 }]) {
    const instead = (events: { id?: string }[]) => {
      if (events.length === 0) return { status: 422, body: { error: { code: 'invalid_request', message: 'None.' } } };
      return events.some(({ id }) => id === 'evt_0' || id === 'evt_7') ? other : null;
    };
    const { url, stored } = await fakeIngest(t, { instead });
    const { clock } = stillClock();
    const outcomes = await all(createClient({ url, key, clock, events: { flights: 1 } }).send([eventsOf(20)]));
    t.is(stored.size, 18);
    const aside = outcomes.filter(({ status }) => status === 'rejected');
    t.deepEqual(
      aside.map(({ event, error }) => [JSON.parse(event.json).n, error?.message]),
      [0, 7].map(n => [n, `It was answered with ${other.status}, and others were not.`]),
    );
  }
});

test('where no event is taken none is set aside', async t => {
  const instead = (events: unknown[]) =>
    events.length === 0
      ? { status: 422, body: { error: { code: 'invalid_request', message: 'None.' } } }
      : { status: 500 };
  const { url } = await fakeIngest(t, { instead });
  const { clock } = stillClock();
  await t.throwsAsync(
    all(createClient({ url, key, clock, patience: 1, events: { flights: 1 } }).send([eventsOf(20)])),
    {
      message: /it answers 500/,
    },
  );
});

test('a pause that is asked of one request holds for all of them', async t => {
  let asked = false;
  const instead = () => {
    if (asked) return null;
    asked = true;
    return { status: 503, headers: { 'retry-after': '3' } };
  };
  const { url, stored } = await fakeIngest(t, { instead });
  const { clock, slept } = stillClock();
  await all(createClient({ url, key, clock, events: { batch: 10 } }).send([eventsOf(500)]));
  t.is(stored.size, 500);
  t.is(Math.max(...slept), 3_000);
});

test('a service that fails or breaks the connection is asked again, ever less often, and nothing is lost or stored twice', async t => {
  const instead = (_: unknown, request: number) => {
    if (request <= 9) return request % 2 === 0 ? ('drop' as const) : { status: 500 };
    return null;
  };
  const { url, stored } = await fakeIngest(t, { instead });
  const { clock, slept } = stillClock();
  const outcomes = await all(createClient({ url, key, clock, events: { flights: 1 } }).send([eventsOf(20)]));
  t.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['accepted']));
  t.is(stored.size, 20);
  t.is(slept.length, 9);
  t.true((slept[0] ?? 0) <= 500);
  t.true(slept.every(pause => pause <= 30_000));
  t.true((slept[8] ?? 0) >= 15_000);
});

test('a batch whose answer was lost is sent again and comes back as duplicates', async t => {
  const { url, stored } = await fakeIngest(t);
  const send = () => all(createClient({ url, key }).send([eventsOf(50)]));
  await send();
  t.true((await send()).every(({ status }) => status === 'duplicate'));
  t.is(stored.size, 50);
});

test('a service that stays away is given up when patience ends', async t => {
  const { url } = await fakeIngest(t, { instead: () => ({ status: 503 }) });
  const { clock, slept } = stillClock();
  const error = await t.throwsAsync<OversightError>(
    all(createClient({ url, key, clock, events: { flights: 1 } }).send([eventsOf(5)])),
  );
  t.is(error.code, 'unavailable');
  t.false(error.message.includes(key));
  const waited = slept.reduce((sum, pause) => sum + pause, 0);
  t.true(waited >= 900_000 && waited < 960_000, `${waited}`);
});

test('a key that is refused ends it at once', async t => {
  const body = { error: { code: 'unauthorized', message: 'A valid credential is required.' } };
  const { url, requests } = await fakeIngest(t, { instead: () => ({ status: 401, body }) });
  const error = await t.throwsAsync<OversightError>(
    all(createClient({ url, key, events: { flights: 1 } }).send([eventsOf(5)])),
  );
  t.is(error.code, 'unauthorized');
  t.is(requests(), 1);
});

test('of a batch that is refused as a whole only the event that is meant is not stored', async t => {
  const instead = (events: { id?: string }[]) => {
    const bad = events.findIndex(({ id }) => id === 'evt_33' || id === 'evt_34');
    const details = [{ path: `/events/${bad}/x`, code: 'duplicate_key', message: 'twice' }];
    return bad < 0 ? null : { status: 400, body: { error: { code: 'invalid_request', message: 'twice', details } } };
  };
  const { url, stored } = await fakeIngest(t, { instead });
  const outcomes = await all(createClient({ url, key, events: { flights: 1 } }).send([eventsOf(100)]));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  t.deepEqual(
    refused.map(({ event }) => JSON.parse(event.json).n),
    [33, 34],
  );
  t.deepEqual(refused[0]?.error?.details, [{ path: '/x', code: 'duplicate_key', message: 'twice' }]);
  t.is(stored.size, 98);
});

test('events that are no JSON are refused by themselves, however many there are of them', async t => {
  const { url, stored, requests } = await fakeIngest(t);
  const events = eventsOf(100).map((event, index) => (index % 3 === 0 ? { ...event, json: `{"n" ${index}}` } : event));
  const outcomes = await all(createClient({ url, key, events: { flights: 1 } }).send([events]));
  t.deepEqual(
    outcomes.map(({ error }) => error?.code ?? null),
    events.map((_, index) => (index % 3 === 0 ? 'malformed_json' : null)),
  );
  t.is(stored.size, 66);
  t.is(requests(), 2);
});

test('where less fits into a request than the service takes, batches become smaller, and stay so', async t => {
  const instead = (events: unknown[]) => (JSON.stringify(events).length > 1_000 ? { status: 413 } : null);
  const { url, stored, batches } = await fakeIngest(t, { instead });
  const outcomes = await all(
    createClient({ url, key, events: { flights: 1 } }).send([eventsOf(200), eventsOf(400).slice(200)]),
  );
  t.true(outcomes.every(({ status }) => status === 'accepted'));
  t.is(stored.size, 400);
  t.true(batches.length < 60, `${batches.length}`);
});

test('an event that is larger than a request is refused without sending it', async t => {
  const { url, requests } = await fakeIngest(t);
  const json = JSON.stringify({ id: 'evt_1', description: 'x'.repeat(1_048_576) });
  const [outcome] = await all(createClient({ url, key }).send([[{ json }]]));
  t.like(outcome, { status: 'rejected', error: { code: 'payload_too_large' } });
  t.is(requests(), 0);
});

test('bodies are compressed on the way where that is wanted', async t => {
  const { url, stored } = await fakeIngest(t);
  await all(createClient({ url, key, compress: true }).send([eventsOf(30)]));
  t.is(stored.size, 30);
});

test('what was read before the input broke off is sent before that is told', async t => {
  const { url, stored } = await fakeIngest(t);
  async function* broken() {
    yield eventsOf(10);
    throw new Error('it broke off');
  }
  await t.throwsAsync(all(createClient({ url, key }).send(broken())), { message: 'it broke off' });
  t.is(stored.size, 10);
});
