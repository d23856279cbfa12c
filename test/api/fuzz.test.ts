import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { routes } from '#api/routes/index.ts';
import { newId } from '#shared/ids.ts';
import { ErrorBody } from '#shared/schemas.ts';
import { alert } from '#test/helpers/alert.ts';
import { event } from '#test/helpers/make.ts';
import { mutated, pathPieces, queries } from '#test/helpers/mutate.ts';
import { unusedId } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

/** An event with every member there is. */
const fullEvent = () =>
  event({
    payee_name: 'Café',
    more: {
      evidence: [
        { kind: 'acme.note', value: 'text', media_type: 'text/plain', encoding: 'utf8', label: 'a note' },
        { kind: 'psp.webhook', value: { headers: {}, body: '{}' } },
      ],
      signature: 'eyJhbGciOiJFUzI1NiJ9..c2ln',
      description: 'weather',
      resource_url: 'https://api.example.com/v1/weather',
      category: '5734',
      mandate_id: newId('mnd'),
      instrument: { type: 'card', id: 'tok_1', last4: '4242' },
      failure: { code: 'declined', message: 'no funds' },
      context: { run_id: 'r', tool_name: 't', tool_call_id: 'c', attempt: 1, human_present: false },
      metadata: { project: 'forecast', nested: { list: [1, 2.5, null] } },
    },
  });

const source = {
  name: 'till',
  kind: 'psp_webhook',
  description: 'the till',
  psp_scheme: 'generic',
  psp_config: { header: 'X-Sig', algorithm: 'sha256', encoding: 'hex', signed_string: '{timestamp}.{body}' },
  signing_secret: 'a secret',
  public_key: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
};

const sound: Record<string, () => unknown> = {
  sendEvents: fullEvent,
  validateEvents: () => ({ events: [fullEvent(), event()] }),
  createSource: () => source,
  changeSource: () => ({ ...source, state: 'disabled' }),
  actOnAlert: () => ({ action: 'comment', reason: 'noted' }),
};

type Sent = { method: string; path: string; headers: Record<string, string>; body: Buffer | undefined };

const json = { 'content-type': 'application/json' };

/** Requests of one route: most nearly sound, some far from it. */
function requestsOf(route: (typeof routes)[number], ids: string[]): fc.Arbitrary<Sent> {
  const id = route.params ? fc.oneof(fc.constantFrom(...ids, unusedId(route)), pathPieces) : fc.constant('');
  const known = Object.keys(route.query?.shape ?? {});
  const body = route.body
    ? fc.oneof(
        {
          weight: 8,
          arbitrary: fc
            .constant(null)
            .chain(() => mutated(sound[route.operation_id]?.()))
            .map(value => Buffer.from(JSON.stringify(value) ?? '')),
        },
        { weight: 1, arbitrary: fc.json().map(text => Buffer.from(text)) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)) },
      )
    : fc.constant(undefined);
  const form = fc.oneof(
    { weight: 12, arbitrary: fc.constant<Record<string, string>>({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Record<string, string>>(
        { 'content-encoding': 'gzip' },
        { 'content-encoding': 'br' },
        { 'content-type': 'text/plain' },
        { authorization: 'Bearer hk_test_nobody' },
        { cookie: 'a=b' },
        { range: 'bytes=0-1' },
        { 'if-none-match': '*' },
      ),
    },
  );
  const method = fc.oneof(
    { weight: 15, arbitrary: fc.constant(route.method.toUpperCase()) },
    { weight: 1, arbitrary: fc.constantFrom('HEAD', 'PUT', 'OPTIONS', 'DELETE') },
  );
  return fc
    .tuple(id, queries(known), body, form, method, fc.boolean())
    .map(([piece, query, bytes, more, verb, zipped]) => ({
      method: verb,
      path: route.path.replaceAll(/\{\w+\}/g, () => piece) + (query && (route.query || zipped) ? `?${query}` : ''),
      headers: { ...json, ...(bytes && zipped && { 'content-encoding': 'gzip' }), ...more },
      body: bytes && zipped ? gzipSync(bytes) : bytes,
    }));
}

test('thousands of requests that are a little or very wrong never find an error of the service', async t => {
  const { as, api, full, db, tenant } = await world(t);
  await as.post('/v1/events', fullEvent());
  const { body: made } = await as.post('/v1/sources', source);
  const ids = [made.id, await alert(db, tenant), (await as.get('/v1/events')).body.data[0].id];
  const send = sender(t, api.address, full.key);
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(fc.oneof(...routes.map(route => requestsOf(route, ids))), async sent => {
    const { status, text } = await send(sent);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 500) throw new Error(`${status}: ${text}`);
    if (status >= 400 && sent.method !== 'HEAD') ErrorBody.parse(JSON.parse(text));
  });
  await fc.assert(property, { seed: 20_261_120, numRuns: 4_000 });
  t.log(Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)));
  for (const status of [200, 201, 204, 400, 401, 404, 405, 415, 422])
    t.true(statuses.has(status), `none was ${status}`);
});

test('whatever was taken in can be read again, on its own and in lists', async t => {
  const { as, api, full } = await world(t);
  const send = sender(t, api.address, full.key);
  const accepted: string[] = [];
  const bodies = fc.constant(null).chain(() => mutated(fullEvent()));
  await fc.assert(
    fc.asyncProperty(bodies, async value => {
      const body = Buffer.from(JSON.stringify(value) ?? '');
      const { status, text } = await send({ method: 'POST', path: '/v1/events', headers: json, body });
      if (status === 201) accepted.push(JSON.parse(text).id);
    }),
    { seed: 20_261_121, numRuns: 400 },
  );
  t.true(accepted.length > 30, `${accepted.length} were accepted`);
  for (const id of accepted) t.is((await as.get(`/v1/events/${id}`)).status, 200);
  t.is((await as.get('/v1/events?limit=200')).body.data.length, Math.min(accepted.length, 200));
  t.is((await as.get('/v1/events?q=caf')).status, 200);
});

/** Sends what fetch would tidy up first. */
function sender(t: ExecutionContext, address: string, key: string) {
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const { hostname, port } = new URL(address);
  return ({ method, path, headers, body }: Sent) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const options = { agent, hostname, port, method, path, headers: { authorization: `Bearer ${key}`, ...headers } };
    const outgoing = request(options, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  };
}
