import test from 'ava';
import * as fc from 'fast-check';
import { routes } from '#api/routes/index.ts';
import { ErrorBody } from '#shared/interface/schemas.ts';
import { fullEvent, inhabit, isForPeople } from '#test/helpers/inhabit.ts';
import { mutated } from '#test/helpers/mutate.ts';
import { requestsOf, sendRaw } from '#test/helpers/requests.ts';
import { isDeep } from '#test/helpers/runs.ts';
import { world } from '#test/helpers/world.ts';

test('requests that are a little or very wrong never find an error of the service', async t => {
  t.timeout(300_000);
  const here = await world(t, { own_database: true });
  const { ids, owner } = await inhabit(here);
  const keyed = { authorization: `Bearer ${here.full.key}` };
  const people = { origin: here.api.address, cookie: owner.cookie };
  const { send, close } = sendRaw(here.api.address);
  t.teardown(close);
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
  const { send, close } = sendRaw(api.address);
  t.teardown(close);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${full.key}` };
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
