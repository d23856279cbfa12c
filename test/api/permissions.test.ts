import test, { type ExecutionContext } from 'ava';
import { routes } from '#api/routes/index.ts';
import type { Route } from '#api/route.ts';
import { revokeApiKey } from '#shared/keys/api_keys.ts';
import type { Scope } from '#shared/keys/api_keys.ts';
import { scopes } from '#shared/interface/scopes.ts';
import { mayRole, roles } from '#shared/interface/roles.ts';
import type { Client, Reply } from '#test/helpers/client.ts';
import { guarded, nameOf, pathOf, takes } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

const environments = ['sandbox', 'production'] as const;

/** Asks a route for a record that is not there, without a body: who may ask is decided before either is looked at. */
const ask = (client: Client, route: Route) => client.send(route.method.toUpperCase(), pathOf(route));

function isRefused(t: ExecutionContext, { status, body }: Reply, code: string, cell: string) {
  t.is(status, code === 'forbidden' ? 403 : 401, `${cell} is refused, not ${status} ${JSON.stringify(body)}`);
  t.is(body.error?.code, code, cell);
}

const mayPass = (t: ExecutionContext, { status, body }: Reply, cell: string) =>
  t.false([401, 403].includes(status), `${cell} may pass, but: ${JSON.stringify(body)}`);

const takesAnyKey = ({ access }: Route) => access !== 'public' && String(access.scopes) === 'any';
const takesScope = (route: Route, scope: Scope) => takesAnyKey(route) || takes(route).includes(scope);
const permissionOf = ({ access }: Route) => (access === 'public' ? undefined : access.session);

test('a route says who may call it', t => {
  t.true(guarded.length > 40, `${guarded.length}`);
  for (const { access, path } of routes)
    t.true(access === 'public' || access.scopes !== undefined || access.session !== undefined, path);
});

for (const environment of environments) {
  const open = (t: ExecutionContext) => world(t, { settings: { ENVIRONMENT: environment } });

  test(`in ${environment} every route but the public ones is 401 without a credential, or with one that nobody has`, async t => {
    const { client, config } = await open(t);
    const strangers = [
      client(),
      client(`hk_${config.key_env}_${'a'.repeat(32)}`),
      client({ cookie: `session=${'a'.repeat(43)}` }),
      client({ cookie: `__Host-session=${'a'.repeat(43)}; other=1` }),
    ];
    for (const route of guarded)
      for (const [index, stranger] of strangers.entries()) {
        const reply = await ask(stranger, route);
        isRefused(t, reply, 'unauthorized', `${nameOf(route)} ${index}`);
        t.is(reply.headers.get('www-authenticate'), 'Bearer');
      }
  });

  test(`in ${environment} every route is 401 for a key of the other environment`, async t => {
    const { client, config } = await open(t);
    const foreign = client(`hk_${config.key_env === 'test' ? 'live' : 'test'}_${'a'.repeat(32)}`);
    for (const route of guarded) isRefused(t, await ask(foreign, route), 'key_environment_mismatch', nameOf(route));
  });

  test(`in ${environment} every route is 401 for a revoked key`, async t => {
    const { client, config, db, key, tenant } = await open(t);
    const full = await key(tenant.org_id);
    await revokeApiKey(db, tenant.org_id, full.id, config.event_max_age_days);
    for (const route of guarded) isRefused(t, await ask(client(full.key), route), 'unauthorized', nameOf(route));
  });

  test(`in ${environment} a key passes where one of its scopes is named, and nowhere else`, async t => {
    const { withScopes } = await open(t);
    for (const scope of Object.keys(scopes) as Scope[]) {
      const client = await withScopes(scope);
      for (const route of guarded) {
        const cell = `${nameOf(route)} with ${scope}`;
        const reply = await ask(client, route);
        if (takesScope(route, scope)) mayPass(t, reply, cell);
        else isRefused(t, reply, 'forbidden', cell);
      }
    }
  });

  for (const role of roles) {
    test(`in ${environment} a signed-in ${role} passes where the table says so, and nowhere else`, async t => {
      const { person, client, session } = await open(t);
      const { user } = await person(role);
      for (const route of guarded) {
        const cell = `${nameOf(route)} as ${role}`;
        // Signing out ends a session: each route gets one of its own.
        const { cookie } = await session(user.id, undefined, true);
        const reply = await ask(client({ cookie }), route);
        const permission = permissionOf(route);
        if (permission && mayRole(role, permission, environment)) mayPass(t, reply, cell);
        else isRefused(t, reply, 'forbidden', cell);
      }
    });

    test(`in ${environment} a ${role} whose second factor is not shown yet can do nothing but show it`, async t => {
      const { person, client, session } = await open(t);
      const { user } = await person(role, { second_factor: true });
      for (const route of guarded) {
        const { cookie } = await session(user.id);
        const reply = await ask(client({ cookie }), route);
        if (permissionOf(route) === 'session') mayPass(t, reply, nameOf(route));
        else isRefused(t, reply, 'forbidden', nameOf(route));
      }
    });
  }
}

for (const role of ['admin', 'owner'] as const) {
  test(`in production a ${role} without a second factor can do nothing but enrol one`, async t => {
    const { person, client, session } = await world(t, { settings: { ENVIRONMENT: 'production' } });
    const { user } = await person(role, { second_factor: false });
    for (const route of guarded) {
      const { cookie } = await session(user.id);
      const reply = await ask(client({ cookie }), route);
      if (['session', 'enroll'].includes(permissionOf(route) ?? '')) mayPass(t, reply, nameOf(route));
      else isRefused(t, reply, 'forbidden', nameOf(route));
    }
  });
}

test('with a session every change needs a request of the same origin', async t => {
  const { person, api, client, session } = await world(t);
  const { user } = await person('owner');
  const port = Number(new URL(api.address).port);
  const refused: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: `http://127.0.0.1:${port + 1}` },
    { origin: `http://127.0.0.1:${port}.evil.example` },
    { origin: 'null' },
    { origin: '' },
    { origin: api.address, 'sec-fetch-site': 'cross-site' },
    { origin: api.address, 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  ];
  const unsafe = guarded.filter(route => permissionOf(route) && route.method !== 'get');
  t.true(unsafe.length > 10);
  for (const route of unsafe)
    for (const headers of refused) {
      const { cookie } = await session(user.id);
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
    'POST /v1/agents/{id}/labels': 'developer:sandbox admin:sandbox,production owner:sandbox,production',
    'GET /v1/members': 'admin:sandbox,production owner:sandbox,production',
    'POST /v1/members': 'admin:sandbox,production owner:sandbox,production',
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
  for (const route of guarded.filter(({ path }) => /api-keys|members|labels|second-factor|sessions/.test(path)))
    t.deepEqual([nameOf(route), takes(route)], [nameOf(route), []]);
});
