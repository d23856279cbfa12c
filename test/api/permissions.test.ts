import type { IncomingMessage } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import type { Caller, KeyCaller, SessionCaller } from '#api/caller.ts';
import { permit } from '#api/permit.ts';
import { routes } from '#api/routes/index.ts';
import type { Route } from '#api/route.ts';
import { Problem } from '#shared/interface/errors.ts';
import { revokeApiKey } from '#shared/keys/api_keys.ts';
import type { Scope } from '#shared/keys/api_keys.ts';
import { scopes } from '#shared/interface/scopes.ts';
import { mayRole, needsSecondFactor, roles } from '#shared/interface/roles.ts';
import type { Client, Reply } from '#test/helpers/client.ts';
import { type Cell, permissionOf, takesScope, tableSays } from '#test/helpers/permission_table.ts';
import { guarded, nameOf, pathOf, takes } from '#test/helpers/routes.ts';
import { type World, world } from '#test/helpers/world.ts';

const environments = ['sandbox', 'production'] as const;
type Environment = (typeof environments)[number];
const allScopes = Object.keys(scopes) as Scope[];

/** Asks a route for a record that is not there, without a body: who may ask is decided before either is looked at. */
const ask = (client: Client, route: Route) => client.send(route.method.toUpperCase(), pathOf(route));

function isRefused(t: ExecutionContext, { status, body }: Reply, code: string, cell: string) {
  t.is(status, code === 'forbidden' ? 403 : 401, `${cell} is refused, not ${status} ${JSON.stringify(body)}`);
  t.is(body.error?.code, code, cell);
}

const mayPass = (t: ExecutionContext, { status, body }: Reply, cell: string) =>
  t.false([401, 403].includes(status), `${cell} may pass, but: ${JSON.stringify(body)}`);

test('a route says who may call it', t => {
  t.true(guarded.length > 40, `${guarded.length}`);
  for (const { access, path } of routes)
    t.true(access === 'public' || access.scopes !== undefined || access.session !== undefined, path);
});

/** Every kind of person that there is in an environment. */
const cellsOf = (environment: Environment): Cell[] =>
  roles.flatMap(role =>
    (['shown', 'needed', needsSecondFactor(role, environment) ? 'missing' : 'not_needed'] as const).map(
      second_factor => ({ role, second_factor }),
    ),
  );

const base_url = 'http://127.0.0.1:3000';
const key = (...held: Scope[]) => ({ kind: 'key', scopes: held }) as KeyCaller;
const personIn = (cell: Cell) => ({ kind: 'session', fresh: true, ...cell }) as SessionCaller;

/** Whether `permit` lets a caller pass whose request comes from our own pages. Whom it stops, it tells `forbidden`. */
function passes(route: Route, caller: Caller, environment: Environment, headers: object = { origin: base_url }) {
  try {
    permit(route, caller, { headers } as IncomingMessage, { base_url, environment });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'forbidden') return false;
    throw error;
  }
}

for (const environment of environments) {
  test(`in ${environment} a key passes where one of its scopes is named, and nowhere else: every cell`, t => {
    for (const route of guarded)
      for (const scope of allScopes)
        t.is(passes(route, key(scope), environment), takesScope(route, scope), `${nameOf(route)} with ${scope}`);
  });

  test(`in ${environment} a person passes where the table says so, and nowhere else: every cell`, t => {
    for (const route of guarded)
      for (const cell of cellsOf(environment))
        t.is(
          passes(route, personIn(cell), environment),
          tableSays(route, cell, environment),
          `${nameOf(route)} as ${JSON.stringify(cell)}`,
        );
  });

  const open = (t: ExecutionContext) => world(t, { settings: { ENVIRONMENT: environment } });

  test(`in ${environment} every route but the public ones is 401 for whoever shows no credential that is good`, async t => {
    const { client, config, db, tenant, key } = await open(t);
    const other = config.key_env === 'test' ? 'live' : 'test';
    const revoked = await key(tenant.org_id);
    await revokeApiKey(db, tenant.org_id, revoked.id, config.event_max_age_days);
    const strangers: [Client, string][] = [
      [client(), 'unauthorized'],
      [client(`hk_${config.key_env}_${'a'.repeat(32)}`), 'unauthorized'],
      [client({ cookie: `session=${'a'.repeat(43)}` }), 'unauthorized'],
      [client({ cookie: `__Host-session=${'a'.repeat(43)}; other=1` }), 'unauthorized'],
      [client(`hk_${other}_${'a'.repeat(32)}`), 'key_environment_mismatch'],
      [client(revoked.key), 'unauthorized'],
    ];
    // Each route is asked without a credential, and by one of the others.
    for (const [index, route] of guarded.entries())
      for (const [stranger, code] of [strangers[0], strangers[1 + (index % 5)]].filter(each => each !== undefined)) {
        const reply = await ask(stranger, route);
        isRefused(t, reply, code, `${nameOf(route)} ${index}`);
        t.is(reply.headers.get('www-authenticate'), 'Bearer');
      }
  });

  test(`in ${environment} every route asks which scopes a key has`, async t => {
    const { withScopes } = await open(t);
    const holders = new Map<string, Promise<Client>>();
    const holderOf = (held: Scope[]) => {
      const name = held.join();
      const holder = holders.get(name) ?? withScopes(...held);
      holders.set(name, holder);
      return holder;
    };
    for (const [index, route] of guarded.entries()) {
      const taken = allScopes.filter(scope => takesScope(route, scope));
      const one = taken[index % Math.max(taken.length, 1)];
      if (one) mayPass(t, await ask(await holderOf([one]), route), `${nameOf(route)} with ${one}`);
      const others = allScopes.filter(scope => !taken.includes(scope));
      if (others.length > 0) isRefused(t, await ask(await holderOf(others), route), 'forbidden', nameOf(route));
    }
  });

  test(`in ${environment} every route asks who somebody is, and whether they have shown their second factor`, async t => {
    const here = await open(t);
    const cells = cellsOf(environment);
    const users = await Promise.all(cells.map(cell => userOf(here, cell)));
    for (const [index, route] of guarded.entries()) {
      const able = cells.filter(cell => tableSays(route, cell, environment));
      const unable = cells.filter(cell => !able.includes(cell));
      for (const cell of [able[index % Math.max(able.length, 1)], unable[index % Math.max(unable.length, 1)]]) {
        const user_id = users[cells.findIndex(each => each === cell)];
        if (!cell || !user_id) continue;
        // Signing out ends a session: each request gets one of its own.
        const { cookie } = await here.session(user_id, undefined, cell.second_factor === 'shown');
        const reply = await ask(here.client({ cookie }), route);
        const name = `${nameOf(route)} as ${JSON.stringify(cell)}`;
        if (able.includes(cell)) mayPass(t, reply, name);
        else isRefused(t, reply, 'forbidden', name);
      }
    }
  });
}

/** Somebody of this kind. */
async function userOf({ person }: World, { role, second_factor }: Cell): Promise<string> {
  const { user } = await person(role, { second_factor: second_factor === 'shown' || second_factor === 'needed' });
  return user.id;
}

test('with a session every change needs a request of the same origin', async t => {
  const { person, api, client, session } = await world(t);
  const { user } = await person('owner');
  const foreign = (address: string): Record<string, string>[] => {
    const port = Number(new URL(address).port);
    return [
      { origin: 'https://evil.example' },
      { origin: `http://127.0.0.1:${port + 1}` },
      { origin: `http://127.0.0.1:${port}.evil.example` },
      { origin: 'null' },
      { origin: '' },
      { origin: address, 'sec-fetch-site': 'cross-site' },
      { origin: address, 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ];
  };
  const unsafe = guarded.filter(route => permissionOf(route) && route.method !== 'get');
  t.true(unsafe.length > 10);
  const owner = personIn({ role: 'owner', second_factor: 'shown' });
  for (const [index, route] of unsafe.entries()) {
    for (const headers of foreign(base_url))
      t.false(passes(route, owner, 'sandbox', headers), `${nameOf(route)} ${JSON.stringify(headers)}`);
    const { cookie } = await session(user.id);
    const headers = foreign(api.address)[index % foreign(api.address).length];
    const reply = await client({ cookie }).send(route.method.toUpperCase(), pathOf(route), { headers });
    isRefused(t, reply, 'forbidden', `${nameOf(route)} ${JSON.stringify(headers)}`);
  }
});

test('what the contract says of roles, cell by cell', t => {
  const table: Record<string, string> = {
    'POST /v1/api-keys': 'developer:sandbox admin:sandbox,production owner:sandbox,production',
    'DELETE /v1/api-keys/{id}': 'developer:sandbox admin:sandbox,production owner:sandbox,production',
    'POST /v1/mandates': 'developer:sandbox admin:sandbox,production owner:sandbox,production',
    'POST /v1/sources': 'developer:sandbox admin:sandbox,production owner:sandbox,production',
    'POST /v1/agents/{id}/labels': 'developer:sandbox,production admin:sandbox,production owner:sandbox,production',
    'GET /v1/members': 'developer:sandbox,production admin:sandbox,production owner:sandbox,production',
    'POST /v1/members': 'admin:sandbox,production owner:sandbox,production',
    'POST /v1/members/{user_id}/invitation': 'admin:sandbox,production owner:sandbox,production',
    'GET /v1/audit-log': 'admin:sandbox,production owner:sandbox,production',
    'POST /v1/trusted-keys': 'admin:sandbox,production owner:sandbox,production',
    'GET /v1/events': 'developer:sandbox,production admin:sandbox,production owner:sandbox,production',
    'POST /v1/alerts/{id}/actions': 'developer:sandbox,production admin:sandbox,production owner:sandbox,production',
    'POST /v1/cases/{id}/status': 'developer:sandbox,production admin:sandbox,production owner:sandbox,production',
    'POST /v1/events': '',
  };
  for (const [name, expected] of Object.entries(table)) {
    const route = routes.find(candidate => nameOf(candidate) === name);
    const permission = route && permissionOf(route);
    const cells = roles.flatMap(role => {
      const places = environments.filter(environment => permission && mayRole(role, permission, environment));
      return places.length > 0 ? [`${role}:${places.join(',')}`] : [];
    });
    t.truthy(route, name);
    t.is(cells.join(' '), expected, name);
  }
});

test('keys can never manage keys, members or labels', t => {
  const isManaging = ({ method, path }: Route) => !(method === 'get' && path === '/v1/members');
  for (const route of guarded
    .filter(isManaging)
    .filter(({ path }) => /api-keys|members|labels|second-factor|sessions/.test(path)))
    t.deepEqual([nameOf(route), takes(route)], [nameOf(route), []]);
});

test('a saved view is deleted by who saved it, an admin or an owner, and by no other member', async t => {
  const { person } = await world(t);
  const [ada, ben] = [await person('developer'), await person('developer')];
  const save = async (name: string) =>
    (await ada.post('/v1/saved-views', { page: '/events', name, query: '' })).body.id as string;
  const own = await save('Own');
  isRefused(t, await ben.delete(`/v1/saved-views/${own}`), 'forbidden', 'another developer');
  t.is((await ada.delete(`/v1/saved-views/${own}`)).status, 200);
  for (const role of ['admin', 'owner'] as const)
    t.is((await (await person(role)).delete(`/v1/saved-views/${await save(role)}`)).status, 200, role);
});
