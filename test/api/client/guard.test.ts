import { wrapFetchWithPayment } from '@x402/fetch';
import test from 'ava';
import axios from 'axios';
import { type Client, createClient } from '#api/client/client.ts';
import type { OversightError } from '#api/client/error.ts';
import { type Breach, guard, type GuardOptions } from '#api/client/guard.ts';
import { readPayment } from '#api/client/x402_event.ts';
import { fakeIngest } from '#test/helpers/fake_ingest.ts';
import { event } from '#test/helpers/make.ts';
import { signPayment } from '#test/helpers/proofs/x402.ts';
import { world } from '#test/helpers/world.ts';
import { payer, wrapAxiosWithPayment } from '#test/helpers/x402_payer.ts';
import { openSeller } from '#test/helpers/x402_seller.ts';

const agent = { agent: 'buyer-1', owner: 'team-1' };

const payGuarded = (
  url: string,
  client: Pick<Client, 'call'>,
  options: Pick<GuardOptions, 'mode'> & Partial<GuardOptions>,
) => wrapFetchWithPayment(guard(fetch, { client, ...agent, within: 60_000, ...options }), payer())(`${url}/weather`);

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

  const axiosOf = guard(axios.create(), { client, ...agent, mode: 'throw', within: 60_000 });
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
    const guarded = guard(shop, { client, ...agent, mode: 'throw', within: 60_000 });
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

test('what cannot be told of a mandate is warned of or refused, and what was paid before is sent first', async t => {
  const { url, sold } = await openSeller(t);
  const asked: string[] = [];
  const constraints = [{ type: 'payment.budget', result: 'unresolved', code: 'no_price' }];
  const results = [{ valid: true, mandate_evaluation: { result: 'unresolved', mandate_id: 'mnd_1', constraints } }];
  const call = async (operation: string) => {
    asked.push(operation);
    return { results };
  };
  const flush = async () => void asked.push('flush');
  const client = { call, events: { flush } } as unknown as Pick<Client, 'call' | 'events'>;
  const warnings: string[] = [];
  const onWarn = ({ message }: Error): never => {
    warnings.push(message);
    throw new Error('the listener is broken');
  };
  t.is((await payGuarded(url, client, { mode: 'throw', onWarn })).status, 200);
  t.regex(warnings[0] ?? '', /mnd_1: payment.budget \(no_price\) cannot be told/);
  t.deepEqual(asked, ['flush', 'POST /v1/events/validate']);
  await t.throwsAsync(payGuarded(url, client, { mode: 'throw', unanswered: 'refuse' }), { message: /mnd_1/ });
  t.is(sold.paid, 1);
});
