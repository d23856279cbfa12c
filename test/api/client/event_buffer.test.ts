import test from 'ava';
import { createClient } from '#api/client/client.ts';
import type { BufferOptions, NewEvent } from '#api/client/event_buffer.ts';
import { card, paymentEvent } from '#api/client/payment_events.ts';
import { fakeIngest } from '#test/helpers/fake_ingest.ts';
import { world } from '#test/helpers/world.ts';

/** What a payment is reported as, without an id. */
const paid = (number: number, agent = `agent-${number % 3}`): NewEvent => {
  const { id, ...event } = paymentEvent('settled', {
    payment_id: `order-${number}`,
    agent,
    owner: 'team-1',
    paid: card({ amount: '12.50', currency: 'EUR', psp: 'stripe', merchant: 'acct_1' }),
  });
  return id ? event : event;
};

const bufferAt = (url: string, events: BufferOptions) => createClient({ url, key: 'k', patience: 50, events }).events;

test('events are collected and sent together, and each is told what became of it', async t => {
  const { api, full } = await world(t);
  const outcomes: string[] = [];
  const events = { onOutcome: ({ status }: { status: string }) => void outcomes.push(status) };
  const { events: buffer } = createClient({ url: api.address, key: full.key, events });
  const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => buffer.add(paid(index))));
  t.true(ids.every(id => /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id ?? '')));
  await buffer.add({ ...paid(3), id: ids[0] ?? '' });
  await buffer.add({ ...paid(2), type: 'payment.lost' as 'payment.settled' });
  await buffer.flush();
  t.is(buffer.waiting(), 0);
  t.deepEqual(outcomes, [...Array.from({ length: 20 }, () => 'accepted'), 'conflict', 'rejected']);
});

test('they are sent when so many wait, when so many bytes wait, or when the first has waited long enough', async t => {
  for (const [options, count] of [
    [{ most_events: 5, within: 1e6 }, 5],
    [{ most_bytes: 900, within: 1e6 }, 3],
    [{ within: 10 }, 1],
  ] as const) {
    const { url, stored } = await fakeIngest(t);
    const all = Promise.withResolvers<void>();
    const onOutcome = () => void (stored.size === count && all.resolve());
    const buffer = bufferAt(url, { ...options, onOutcome });
    for (let number = 0; number < count; number += 1) await buffer.add(paid(number));
    await all.promise;
    t.is(stored.size, count);
    await buffer.close();
  }
});

test('where there is no room, an event waits for it, or is dropped and told of', async t => {
  const { url, stored } = await fakeIngest(t);
  const patient = bufferAt(url, { room: 2, within: 1e6 });
  await Promise.all([patient.add(paid(1)), patient.add(paid(2))]);
  let taken = false;
  const third = patient.add(paid(3)).then(() => (taken = true));
  await new Promise(setImmediate);
  t.false(taken);
  await patient.flush();
  await third;
  await patient.close();
  t.is(stored.size, 3);

  const dropped: NewEvent[] = [];
  const hasty = bufferAt(url, { room: 1, within: 1e6, full: 'drop', onDrop: event => void dropped.push(event) });
  t.truthy(await hasty.add(paid(4)));
  t.is(await hasty.add(paid(5)), null);
  t.is(dropped[0]?.payment.payment_id, 'order-5');
  await hasty.close();
  await t.throwsAsync(hasty.add(paid(6)), { message: /closed/ });
});

test('while the service is away events are kept, in their order, and sent when it is back', async t => {
  let away = true;
  const { url, batches } = await fakeIngest(t, { instead: () => (away ? { status: 401, body: locked } : null) });
  const errors: Error[] = [];
  const buffer = bufferAt(url, { within: 1, onError: error => void errors.push(error) });
  for (let number = 0; number < 4; number += 1) await buffer.add(paid(number, 'agent-1'));
  await t.throwsAsync(buffer.flush(), { message: /refuses \(401\)/ });
  t.is(buffer.waiting(), 4);
  away = false;
  await buffer.add(paid(4, 'agent-1'));
  await buffer.close();
  t.true(errors.length > 0);
  const arrived = batches.flat() as { payment?: { payment_id: string } }[];
  t.deepEqual(
    arrived.map(({ payment }) => payment?.payment_id),
    Array.from({ length: 5 }, (_, number) => `order-${number}`),
  );
});

test('a listener that throws stops nothing, and events that are still being made are waited for', async t => {
  const { url, stored } = await fakeIngest(t);
  const errors: string[] = [];
  const broken = (): never => {
    throw new Error('the listener is broken');
  };
  const onError = ({ message }: Error): never => {
    errors.push(message);
    return broken();
  };
  const buffer = bufferAt(url, { room: 1, within: 1e6, full: 'drop', onOutcome: broken, onDrop: broken, onError });
  const first = Promise.withResolvers<NewEvent>();
  const told: string[] = [];
  const adding = buffer.add(first.promise, ({ status }) => void told.push(status));
  t.is(buffer.waiting(), 1);
  const flushed = buffer.flush();
  first.resolve(paid(1));
  await flushed;
  t.truthy(await adding);
  t.is(await buffer.add(Promise.resolve(null)), null);
  await Promise.all([buffer.add(paid(2)), buffer.add(paid(3))]);
  await buffer.close();
  t.is(stored.size, 2);
  t.deepEqual(told, ['accepted']);
  t.deepEqual(new Set(errors), new Set(['the listener is broken']));
});

test('a signal that ends the client ends the buffer too', async t => {
  const { url } = await fakeIngest(t);
  const ending = new AbortController();
  const buffer = createClient({ url, key: 'k', signal: ending.signal, events: { within: 1e6 } }).events;
  await buffer.add(paid(1));
  ending.abort();
  await t.throwsAsync(buffer.flush(), { name: 'AbortError' });
  await t.throwsAsync(buffer.add(paid(2)), { message: /closed/ });
  await t.throwsAsync(buffer.close(), { name: 'AbortError' });
});

const locked = { error: { code: 'unauthorized', message: 'No.' }, request_id: 'req_1' };
