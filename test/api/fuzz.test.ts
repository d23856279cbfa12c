import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { routes } from '#api/routes/index.ts';
import type { Route } from '#api/route.ts';
import { ErrorBody } from '#shared/interface/schemas.ts';
import { fullEvent, idFor, inhabit, isForPeople } from '#test/helpers/inhabit.ts';
import { mutated, pathPieces, queries } from '#test/helpers/mutate.ts';
import { exampleBody, unusedId } from '#test/helpers/routes.ts';
import { isDeep } from '#test/helpers/runs.ts';
import { world } from '#test/helpers/world.ts';

type Sent = { method: string; path: string; headers: Record<string, string>; body: Buffer | undefined };

const json = { 'content-type': 'application/json' };

/** Requests of one route: most nearly sound, some far from it. */
function requestsOf(route: Route, ids: string[]): fc.Arbitrary<Sent> {
  const id = route.params
    ? fc.oneof(fc.constant(idFor(route, ids) ?? unusedId(route)), fc.constantFrom(...ids), pathPieces)
    : fc.constant('');
  const known = Object.keys(route.query?.shape ?? {});
  const body = route.body
    ? fc.oneof(
        {
          weight: 8,
          arbitrary: fc
            .constant(null)
            .chain(() => mutated(soundBody(route, ids)))
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

const soundBody = (route: Route, ids: string[]) =>
  route.operation_id === 'sendEvents'
    ? fullEvent()
    : route.operation_id === 'validateEvents'
      ? { events: [fullEvent()] }
      : exampleBody(route, ids);

test('requests that are a little or very wrong never find an error of the service', async t => {
  t.timeout(300_000);
  const here = await world(t, { own_database: true });
  const { ids, owner } = await inhabit(here);
  const keyed = { authorization: `Bearer ${here.full.key}` };
  const people = { origin: here.api.address, cookie: owner.cookie };
  const send = sender(t, here.api.address);
  const statuses = new Map<number, number>();
  const asked = fc.oneof(
    ...routes.map(route => fc.record({ route: fc.constant(route), sent: requestsOf(route, ids), other: fc.nat(9) })),
  );
  const property = fc.asyncProperty(asked, async ({ route, sent, other }) => {
    // Mostly who may call it, sometimes who may not.
    const headers = isForPeople(route) === other > 0 ? people : keyed;
    const { status, text, type } = await send({ ...sent, headers: { ...headers, ...sent.headers } });
    // They sign out now and then, lose their membership, or revoke the key.
    if (status === 401 && headers === people) people.cookie = (await here.person('owner')).cookie;
    if (status === 401 && headers === keyed) keyed.authorization = `Bearer ${(await here.key(here.tenant.org_id)).key}`;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 500) throw new Error(`${status}: ${text}`);
    if (status >= 400 && sent.method !== 'HEAD' && !type.startsWith('text/html')) ErrorBody.parse(JSON.parse(text));
  });
  // Every kind of answer has to be among them, however many it takes; 422 is one in thousands.
  const wanted = [200, 201, 204, 400, 401, 403, 404, 405, 409, 415, ...(isDeep ? [422] : [])];
  const missing = () => wanted.filter(status => !statuses.has(status));
  const { seed = 0 } = fc.readConfigureGlobal() ?? {};
  for (let part = 0; part < 25 && (part === 0 || isDeep || missing().length > 0); part += 1)
    await fc.assert(property, { seed: seed + part, numRuns: 400 });
  t.log(Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)));
  t.deepEqual(missing(), []);
});

test('whatever was taken in can be read again, on its own and in lists', async t => {
  const { as, api, full } = await world(t, { own_database: true });
  const send = sender(t, api.address);
  const headers = { ...json, authorization: `Bearer ${full.key}` };
  const accepted: string[] = [];
  const bodies = fc.constant(null).chain(() => mutated(fullEvent()));
  await fc.assert(
    fc.asyncProperty(bodies, async value => {
      const body = Buffer.from(JSON.stringify(value) ?? '');
      const { status, text } = await send({ method: 'POST', path: '/v1/events', headers, body });
      if (status === 201) accepted.push(JSON.parse(text).id);
    }),
    { seed: 20_261_121, numRuns: 150 },
  );
  t.true(accepted.length > 12, `${accepted.length} were accepted`);
  for (const id of accepted) t.is((await as.get(`/v1/events/${id}`)).status, 200);
  t.is((await as.get('/v1/events?limit=200')).body.data.length, Math.min(accepted.length, 200));
  t.is((await as.get('/v1/events?q=caf')).status, 200);
});

/** Sends what fetch would tidy up first. */
function sender(t: ExecutionContext, address: string) {
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const { hostname, port } = new URL(address);
  return ({ method, path, headers, body }: Sent) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string; type: string }>();
    const options = { agent, hostname, port, method, path, headers };
    const outgoing = request(options, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          type: response.headers['content-type'] ?? '',
        }),
      );
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  };
}
