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
import { fakeIngest } from '#test/helpers/fake_ingest.ts';
import { event } from '#test/helpers/make.ts';
import { testUsdc, wallet } from '#test/helpers/proofs/x402.ts';
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
