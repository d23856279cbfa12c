import { wrapAxiosWithPayment as wrapAxios } from '@x402/axios';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import test, { type ExecutionContext } from 'ava';
import axios, { type AxiosInstance } from 'axios';
import { type Client, createClient } from '#api/client/client.ts';
import type { OversightError } from '#api/client/error.ts';
import { type Breach, guard, type GuardOptions } from '#api/client/guard.ts';
import { observeX402 } from '#api/client/observe_x402.ts';
import { readPayment } from '#api/client/x402_event.ts';
import { fakeIngest } from '#test/helpers/fake_ingest.ts';
import { event } from '#test/helpers/make.ts';
import { signPayment, testUsdc, wallet } from '#test/helpers/proofs/x402.ts';
import { world } from '#test/helpers/world.ts';
import { openSeller } from '#test/helpers/x402_seller.ts';

/** The client of x402 itself, which pays with a test key. */
const payer = () =>
  new x402Client()
    .register(testUsdc.network, new ExactEvmScheme(wallet('payer')))
    .registerV1('base-sepolia', new ExactEvmSchemeV1(wallet('payer')));

/** The wrapper of axios has not come as far as that of fetch, and has types of its own for the same client. */
const wrapAxiosWithPayment = (instance: AxiosInstance, client: x402Client) => wrapAxios(instance, client as never);

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
  t.is(errors[0]?.message, 'about is broken');
});

const payGuarded = (
  url: string,
  client: Pick<Client, 'call'>,
  options: Pick<GuardOptions, 'mode'> & Partial<GuardOptions>,
) => wrapFetchWithPayment(guard(fetch, { client, ...agent, ...options }), payer())(`${url}/weather`);

test('a payment that would break a mandate is refused before it is sent, or a person is asked', async t => {
  const { as, person, api, full } = await world(t);
  const client = createClient({ url: api.address, key: full.key });
  const seller = await openSeller(t);
  const owner = await person('owner');
  const { body: stored } = await as.post('/v1/events', event({ agent: agent.agent }));
  const constraints = [{ type: 'payment.allowed_rails', values: ['card'] }];
  const made = await owner.post('/v1/mandates', { agent_id: stored.agent_id, name: 'Cards only', constraints });
  t.is(made.status, 201, JSON.stringify(made.body));

  const refusal = await t.throwsAsync<OversightError>(payGuarded(seller.url, client, { mode: 'throw' }));
  t.is(refusal.code, 'mandate_breach');
  t.regex(refusal.message, /would break the mandate mnd_.*allowed_rails/);
  const asked: Breach[] = [];
  const ask = (answer: boolean) => async (breach: Breach) => {
    asked.push(breach);
    return answer;
  };
  await t.throwsAsync(payGuarded(seller.url, client, { mode: ask(false) }), { message: /would break/ });
  t.is(seller.sold.paid, 0);
  t.is((await payGuarded(seller.url, client, { mode: ask(true) })).status, 200);
  t.is(asked[0]?.mandate_id, made.body.id);
  const warnings: Error[] = [];
  const onWarn = (warning: Error) => void warnings.push(warning);
  t.is((await payGuarded(seller.url, client, { mode: 'warn', onWarn })).status, 200);
  t.is(warnings.length, 1);
  t.is(seller.sold.paid, 2);

  const axiosOf = guard(axios.create(), { client, ...agent, mode: 'throw' });
  await t.throwsAsync(wrapAxiosWithPayment(axiosOf, payer()).get(`${seller.url}/weather`), { message: /would break/ });
  t.is((await payGuarded(seller.url, client, { mode: 'throw', agent: 'buyer-2' })).status, 200);
});

test('where the service does not answer, the payment is made or refused, as was chosen', async t => {
  const { url } = await fakeIngest(t, { instead: () => 'drop' });
  const { url: shop, sold } = await openSeller(t);
  const client = createClient({ url, key: 'k' });
  const warnings: string[] = [];
  const onWarn = ({ message }: Error) => void warnings.push(message);
  t.is((await payGuarded(shop, client, { mode: 'throw', onWarn, within: 50 })).status, 200);
  t.is(warnings.length, 1);
  const refusal = payGuarded(shop, client, { mode: 'throw', unanswered: 'refuse', within: 50 });
  await t.throwsAsync(refusal, { message: /Nothing says whether this payment breaks a mandate/ });
  t.is(sold.paid, 1);
});

test('what a seller declares changes neither the amount that is judged nor the address, and nothing unreadable is paid', async t => {
  const { as, person, api, full } = await world(t);
  const client = createClient({ url: api.address, key: full.key });
  const owner = await person('owner');
  const { body: stored } = await as.post('/v1/events', event({ agent: agent.agent }));
  const constraints = [{ type: 'payment.allowed_resources', prefixes: ['https://api.example.com/'] }];
  const made = await owner.post('/v1/mandates', { agent_id: stored.agent_id, name: 'One shop', constraints });
  t.is(made.status, 201, JSON.stringify(made.body));
  const { payload_v1, required_v1 } = await signPayment({ value: 5_000n });
  const [offer] = required_v1.accepts;
  const elsewhere = {
    ...payload_v1,
    payload: { ...payload_v1.payload, authorization: { to: offer?.payTo, value: '1' } },
  };
  const cases: [string, object, object, RegExp][] = [
    [
      'another amount beside the signed one',
      payload_v1,
      { ...required_v1, accepts: [{ ...offer, amount: '1' }] },
      /allowed_resources/,
    ],
    ['an amount that is not signed', elsewhere, required_v1, /cannot be read/],
    [
      'two tokens that fit',
      payload_v1,
      { accepts: [offer, { ...offer, asset: `0x${'1'.repeat(40)}` }] },
      /cannot be read/,
    ],
    ['terms that are too long', payload_v1, { ...required_v1, padding: 'x'.repeat(70_000) }, /cannot be read/],
    ['no account', payload_v1, { accepts: [{ ...offer, payTo: { toString: 1 } }] }, /cannot be read/],
  ];
  for (const [what, payload, required, refused] of cases) {
    const sent: string[] = [];
    const shop = async (_: RequestInfo | URL, init?: RequestInit) => {
      sent.push(String(new Headers(init?.headers).get('x-payment')));
      return new Response(JSON.stringify(required), { status: 402 });
    };
    const guarded = guard(shop, { client, ...agent, mode: 'throw' });
    await guarded('https://shop.example.net/x');
    const headers = { 'X-PAYMENT': btoa(JSON.stringify(payload)) };
    await t.throwsAsync(guarded('https://shop.example.net/x', { headers }), { message: refused }, what);
    t.is(sent.length, 1, what);
  }
  const text = JSON.stringify({ ...required_v1, accepts: [{ ...offer, amount: '1' }] });
  const required = Promise.resolve({ at: 0, text, forget: () => {} });
  const sent = {
    url: 'https://me:secret@shop.example.net/x',
    method: 'GET',
    at: 0,
    payload: JSON.stringify(payload_v1),
    required,
  };
  const read = (await readPayment(sent, agent)).authorized();
  t.is(read.payment.amount.value, '5000');
  t.is(read.resource_url, 'https://shop.example.net/x');
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
