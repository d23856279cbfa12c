import { wrapFetchWithPayment } from '@x402/fetch';
import test, { type ExecutionContext } from 'ava';
import axios from 'axios';
import { createClient } from '#api/client/client.ts';
import { guard } from '#api/client/guard.ts';
import { observeX402 } from '#api/client/observe_x402.ts';
import { fakeIngest } from '#test/helpers/fake_ingest.ts';
import { wallet } from '#test/helpers/proofs/x402.ts';
import { world } from '#test/helpers/world.ts';
import { payer, wrapAxiosWithPayment } from '#test/helpers/x402_payer.ts';
import { openSeller } from '#test/helpers/x402_seller.ts';
import { until } from '#test/helpers/until.ts';

const agent = { agent: 'buyer-1', owner: 'team-1' };

/** A service, a client of it, and what the log says of the payments when they were analyzed. */
async function observed(t: ExecutionContext) {
  const w = await world(t);
  const client = createClient({ url: w.api.address, key: w.full.key });
  const errors: Error[] = [];
  const observe = { client, ...agent, onError: (error: Error) => void errors.push(error) };
  const reported = async () => {
    await client.events.flush();
    await w.analyze();
    t.deepEqual(errors, []);
    const events = [];
    for await (const { id } of client.list('GET /v1/events'))
      events.unshift(await client.call('GET /v1/events/{id}', { params: { id } }));
    return events;
  };
  return { ...w, client, observe, reported };
}

type Reported = Awaited<ReturnType<Awaited<ReturnType<typeof observed>>['reported']>>;

function checkVerified(t: ExecutionContext, events: Reported) {
  t.deepEqual(
    events.map(({ type, verification }) => [type, verification?.result, verification?.kind]),
    [
      ['payment.requested', undefined, undefined],
      ['payment.authorized', 'verified', 'x402_authorization'],
      ['payment.settled', 'verified', 'x402_authorization'],
    ],
  );
  t.is(new Set(events.map(({ payment }) => payment.payment_id)).size, 1);
  const settled = events.at(-1);
  t.like(settled?.payment, {
    rail: 'x402',
    amount: { value: '1000', unit: 'atomic' },
    payee: { key: `eip155:84532:${wallet('seller').address}` },
  });
  t.deepEqual(settled?.evidence.map(({ kind }) => kind).toSorted(), [
    'x402.payment_payload',
    'x402.payment_required',
    'x402.settlement_response',
  ]);
}

test('what an agent pays over x402 is in the log as one payment whose authorization is verified', async t => {
  const { observe, reported } = await observed(t);
  const { url } = await openSeller(t);
  const about = () => ({ context: { run_id: 'run-7' }, metadata: { project: 'forecast' } });
  const pay = wrapFetchWithPayment(observeX402(fetch, { ...observe, about }), payer());
  const response = await pay(`${url}/weather?city=Berlin`);
  t.is(await response.text(), '"sunny"');
  const events = await reported();
  checkVerified(t, events);
  t.true(events.every(({ context, description }) => context?.run_id === 'run-7' && description === 'Weather of today'));
});

test('payments of version 1, and those of axios, are verified as well', async t => {
  for (const version of ['v1', 'axios']) {
    const { observe, reported } = await observed(t);
    const { url } = await openSeller(t);
    const pay =
      version === 'v1'
        ? (path: string) => wrapFetchWithPayment(observeX402(fetch, observe), payer())(`${url}/v1${path}`)
        : (path: string) =>
            wrapAxiosWithPayment(observeX402(axios.create({ baseURL: url }), observe), payer()).get(path);
    t.is((await pay('/weather')).status, 200);
    checkVerified(t, await reported());
  }
});

test('a payment that is not settled is reported as failed, with the reason', async t => {
  const { observe, reported } = await observed(t);
  const { url } = await openSeller(t, { fails: 'insufficient_funds' });
  const response = await wrapFetchWithPayment(observeX402(fetch, observe), payer())(`${url}/weather`);
  t.is(response.status, 402);
  const [, , failed] = await reported();
  t.like(failed, {
    type: 'payment.failed',
    failure: { code: 'insufficient_funds' },
    verification: { result: 'verified' },
  });
});

test('a payment neither waits for the service nor fails with it', async t => {
  const errors: Error[] = [];
  const silent = createClient({ url: 'http://127.0.0.1:1', key: 'k', fetch: () => new Promise(() => {}) });
  const { url, sold } = await openSeller(t);
  const broken = (): never => {
    throw new Error('about is broken');
  };
  for (const options of [
    { client: silent, ...agent },
    { client: silent, ...agent, about: broken, onError: (error: Error) => void errors.push(error) },
  ]) {
    const pay = wrapFetchWithPayment(observeX402(fetch, options), payer());
    t.is((await pay(`${url}/weather`)).status, 200);
  }
  t.is(sold.paid, 2);
  await until(() => errors.length > 0);
  t.is(errors[0]?.message, 'about is broken');
});

test('what is put around the fetch that pays says that it sees nothing', async t => {
  const { url } = await openSeller(t);
  const told: string[] = [];
  const hear = ({ message }: Error) => void told.push(message);
  const client = createClient({ url: 'http://127.0.0.1:1', key: 'k' });
  const pays = wrapFetchWithPayment(fetch, payer());
  t.is((await observeX402(pays, { client, ...agent, onError: hear })(`${url}/weather`)).status, 200);
  t.is((await guard(pays, { client, ...agent, mode: 'throw', onWarn: hear })(`${url}/weather`)).status, 200);
  t.is(told.length, 2);
  t.true(told.every(message => message.includes('give') && message.includes('the inner fetch')));
});

test('where only the client of x402 is at hand, it is observed and guarded itself', async t => {
  const { observe, reported, client } = await observed(t);
  const { url, sold } = await openSeller(t);
  t.is((await wrapFetchWithPayment(fetch, observeX402(payer(), observe))(`${url}/weather`)).status, 200);
  checkVerified(t, await reported());
  const nobody = { client, ...agent, agent: 'x'.repeat(1_000) };
  const careful = wrapFetchWithPayment(fetch, guard(payer(), { ...nobody, mode: 'throw', within: 60_000 }));
  await t.throwsAsync(careful(`${url}/weather`), { message: /cannot be judged/ });
  t.is(sold.paid, 1);
});

test('a payment that ends just before the client is closed is reported, and one that is not taken is told of', async t => {
  const { url: shop } = await openSeller(t);
  const { url, stored } = await fakeIngest(t);
  const client = createClient({ url, key: 'k' });
  const pay = wrapFetchWithPayment(observeX402(fetch, { client, ...agent }), payer());
  await pay(`${shop}/weather`);
  await client.events.close();
  t.is(stored.size, 3);

  const { api, full } = await world(t);
  const errors: string[] = [];
  const real = createClient({ url: api.address, key: full.key });
  const onError = ({ message }: Error) => void errors.push(message);
  const about = () => ({ category: 'none' });
  await wrapFetchWithPayment(
    observeX402(fetch, { client: real, ...agent, about, onError }),
    payer(),
  )(`${shop}/weather`);
  await real.events.close();
  t.is(errors.length, 3);
  t.regex(errors[0] ?? '', /was not taken \(rejected\)/);
});
