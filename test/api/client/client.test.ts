import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { createClient } from '#api/client/client.ts';
import type { OversightError } from '#api/client/error.ts';
import { listening } from '#test/helpers/listening.ts';
import { event } from '#test/helpers/make.ts';
import { stillClock } from '#test/helpers/still_clock.ts';
import { world } from '#test/helpers/world.ts';

type Answer = { status: number; headers?: Record<string, string>; body?: unknown } | 'drop';
type Heard = { method: string; url: string; key: string | undefined; body: string };

/** Answers one request after the other as it is told, then always as at last. */
async function scripted(t: ExecutionContext, answers: readonly Answer[]) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const { method = '', url = '', headers } = request;
    const answer = answers[Math.min(heard.length, answers.length - 1)];
    heard.push({ method, url, key: headers['idempotency-key'] as string | undefined, body });
    if (answer === 'drop' || !answer) return request.socket.destroy();
    const told = { 'content-type': 'application/json', ...answer.headers };
    return response.writeHead(answer.status, told).end(JSON.stringify(answer.body ?? {}));
  });
  const url = `http://127.0.0.1:${await listening(t, server)}`;
  const { clock, slept } = stillClock();
  return { client: createClient({ url, key: 'hk_test_secret', clock }), heard, slept };
}

const good: Answer = { status: 200, body: { id: 'cas_1' } };
const refusal = (status: number, code: string, headers = {}): Answer => ({
  status,
  headers,
  body: {
    error: { code, message: 'No.', details: [{ path: '/title', code: 'required', message: 'It is.' }] },
    request_id: 'req_1',
  },
});
const open = { body: { title: 'Who booked the hotel?' } };

test('every endpoint is asked by its name, and lists are read to their end', async t => {
  const { api, full } = await world(t);
  const client = createClient({ url: `${api.address}/`, key: full.key });
  const me = await client.call('GET /v1/me');
  t.is(me.kind, 'key');
  const sent = Array.from({ length: 7 }, () => event());
  const { accepted } = (await client.call('POST /v1/events', { body: { events: sent } as never })) as {
    accepted: number;
  };
  t.is(accepted, 7);
  const read = [];
  for await (const { id } of client.list('GET /v1/events', { query: { limit: 3, rail: 'card' } })) read.unshift(id);
  t.deepEqual(
    read,
    sent.map(({ id }) => id),
  );
  const agents = await client.call('GET /v1/agents', { query: { external_id: 'agent-1' } });
  t.is(agents.data[0]?.external_id, 'agent-1');
});

test('what the service refuses is told with its code, its details and the id of the request', async t => {
  const { api, full } = await world(t);
  const client = createClient({ url: api.address, key: full.key });
  const error = await t.throwsAsync<OversightError>(client.call('POST /v1/cases', { body: { title: '' } }));
  t.like(error, { name: 'OversightError', status: 400, code: 'invalid_request', retry_after: null });
  t.is(error.details[0]?.path, '/title');
  t.regex(error.request_id ?? '', /^req_/);
  const stranger = createClient({ url: api.address, key: 'hk_test_00000000000000000000000000000000' });
  t.is((await t.throwsAsync<OversightError>(stranger.call('GET /v1/me'))).code, 'unauthorized');
});

test('a POST is sent again under the same Idempotency-Key until it is answered, and does its work once', async t => {
  const { client, heard, slept } = await scripted(t, [
    'drop',
    refusal(503, 'unavailable'),
    refusal(409, 'conflict', { 'retry-after': '2' }),
    refusal(429, 'rate_limited', { 'retry-after': '7' }),
    good,
  ]);
  t.is((await client.call('POST /v1/cases', open)).id, 'cas_1');
  t.is(heard.length, 5);
  t.is(new Set(heard.map(({ key, body }) => `${key} ${body}`)).size, 1);
  t.regex(heard[0]?.key ?? '', /^[0-9a-f-]{36}$/);
  t.deepEqual(slept.map(Math.round).slice(-2), [2_000, 7_000]);
  await client.call('POST /v1/cases', open, { idempotency_key: 'mine' });
  t.is(heard.at(-1)?.key, 'mine');
});

test('a conflict that does not pass is told at once', async t => {
  const { client, heard } = await scripted(t, [refusal(409, 'conflict')]);
  const error = await t.throwsAsync<OversightError>(client.call('POST /v1/cases', open));
  t.like(error, { code: 'conflict', status: 409 });
  t.is(heard.length, 1);
});

test('a PATCH is sent again only where the service says that it did nothing', async t => {
  const patch = { params: { id: 'cas_1' }, body: { title: 'x' } };
  const busy = await scripted(t, [refusal(503, 'unavailable', { 'retry-after': '1' }), good]);
  await busy.client.call('PATCH /v1/cases/{id}', patch);
  t.is(busy.heard.length, 2);
  for (const answer of ['drop', refusal(500, 'internal')] as const) {
    const { client, heard } = await scripted(t, [answer]);
    await t.throwsAsync(client.call('PATCH /v1/cases/{id}', patch));
    t.is(heard.length, 1);
  }
});

test('patience ends: what the service said last is told, and a pause longer than patience is not begun', async t => {
  const away = await scripted(t, ['drop']);
  const gone = await t.throwsAsync<OversightError>(away.client.call('GET /v1/me', {}, { patience: 5_000 }));
  t.like(gone, { code: 'unavailable', status: 0 });
  t.false(gone.message.includes('secret'));
  const busy = await scripted(t, [refusal(429, 'rate_limited', { 'retry-after': '3600' })]);
  const error = await t.throwsAsync<OversightError>(busy.client.call('GET /v1/me'));
  t.like(error, { code: 'rate_limited', status: 429, retry_after: 3_600 });
  t.deepEqual(busy.slept, []);
});

test('a quota of which nothing is left is waited for before the next request is sent', async t => {
  const RateLimit = '"write";r=0;t=4, "analysis";r=41250;t=40';
  const { client, slept } = await scripted(t, [{ ...good, headers: { RateLimit } }, good]);
  await client.call('POST /v1/cases', open);
  await client.call('GET /v1/me');
  t.deepEqual(slept, []);
  await client.call('POST /v1/cases', open);
  t.deepEqual(slept, [4_000]);
});

test('a call ends when it is told to', async t => {
  const { client } = await scripted(t, [good]);
  const signal = AbortSignal.abort(new Error('enough'));
  await t.throwsAsync(client.call('GET /v1/me', {}, { signal }), { message: 'enough' });
});

test('a key does not follow the service to another address', async t => {
  const modes: (string | undefined)[] = [];
  const moved = async (_: string, { redirect }: { redirect?: string }) => {
    modes.push(redirect);
    return new Response(null, { status: 308, headers: { location: 'https://elsewhere.example.com' } });
  };
  const client = createClient({ url: 'http://127.0.0.1:1', key: 'k', fetch: moved });
  await t.throwsAsync(client.call('GET /v1/me'), { message: /answers 308, not as the service does/ });
  t.deepEqual(modes, ['manual']);
});

test('an address that is no http URL, and a path without its parameter, are refused before anything is sent', async t => {
  for (const url of ['localhost:3741', '127.0.0.1:3741', 'htp://localhost:3741', 'ftp://localhost', ''])
    t.throws(
      () => createClient({ url, key: 'k' }),
      { instanceOf: TypeError, message: /^url must begin with https:/ },
      url,
    );
  const { client, heard } = await scripted(t, [good]);
  for (const params of [{}, { id: undefined }, { id: '' }] as never[])
    await t.throwsAsync(client.call('GET /v1/cases/{id}', { params }), {
      instanceOf: TypeError,
      message: 'GET /v1/cases/{id} needs params.id.',
    });
  t.is(heard.length, 0);
});
