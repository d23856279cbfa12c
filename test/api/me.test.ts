import test from 'ava';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { addMember } from '#shared/people/users.ts';
import { world } from '#test/helpers/world.ts';

test('a key of any scope is told what it is', async t => {
  const { client, key, tenant } = await world(t, { own_database: true });
  for (const scope of ['events:write', 'cases:read', 'screening:write'] as const) {
    const made = await key(tenant.org_id, [scope]);
    const { status, body } = await client(made.key).get('/v1/me');
    t.is(status, 200);
    t.deepEqual(body, {
      kind: 'key',
      organization: { id: tenant.org_id, name: 'Acme' },
      environment: 'sandbox',
      scopes: [scope],
      key: { id: made.id, name: 'test', prefix: made.key.slice(0, 12) },
    });
  }
});

test('somebody is told who they are, what they are where, and how their second factor stands', async t => {
  const { person, tenant, organization, db } = await world(t, {
    own_database: true,
    settings: { ENVIRONMENT: 'production' },
  });
  const mine = await person('owner');
  const other = await organization('Aardvark');
  await addMember(db, other.id, { user_id: mine.user.id, role: 'developer', created_by: null }, Date.now());
  const { body } = await mine.get('/v1/me');
  t.deepEqual(body, {
    kind: 'session',
    user: mine.user,
    organization: { id: tenant.org_id, name: 'Acme' },
    organizations: [
      { id: other.id, name: 'Aardvark', role: 'developer' },
      { id: tenant.org_id, name: 'Acme', role: 'owner' },
    ],
    role: 'owner',
    environment: 'production',
    second_factor: { required: true, enrolled: true, shown: true },
  });
});

for (const [environment, role, given, expected] of [
  ['sandbox', 'owner', { second_factor: false }, { required: false, enrolled: false, shown: false }],
  ['production', 'developer', { second_factor: false }, { required: false, enrolled: false, shown: false }],
  ['production', 'admin', { second_factor: false }, { required: true, enrolled: false, shown: false }],
  ['sandbox', 'developer', { second_factor: true }, { required: false, enrolled: true, shown: true }],
] as const) {
  test(`/v1/me of a ${role} in ${environment} ${given.second_factor ? 'with' : 'without'} a second factor says so`, async t => {
    const { person } = await world(t, { own_database: true, settings: { ENVIRONMENT: environment } });
    t.deepEqual((await (await person(role, given)).get('/v1/me')).body.second_factor, expected);
  });
}

test('a second factor that is enrolled and was not shown in this session is told apart', async t => {
  const { person, session, client } = await world(t, { own_database: true });
  const { user } = await person('developer', { second_factor: true });
  const { cookie } = await session(user.id);
  const expected = { required: false, enrolled: true, shown: false };
  t.deepEqual((await client({ cookie }).get('/v1/me')).body.second_factor, expected);
});

test('who changes organization sees and does there what their role is there, and nothing of the other', async t => {
  const { person, organization, db, as } = await world(t, { own_database: true });
  const mine = await person('developer');
  const other = await organization('Rival');
  await addMember(db, other.id, { user_id: mine.user.id, role: 'owner', created_by: null }, Date.now());
  const { body: source } = await as.post('/v1/sources', { name: 'till', kind: 'other' });
  t.is((await mine.get(`/v1/sources/${source.id}`)).status, 200);
  t.is((await mine.get('/v1/audit-log')).status, 403);
  const there = await mine.put('/v1/me/organization', { id: other.id.toLowerCase() });
  t.like(there, { status: 200, body: { organization: { id: other.id, name: 'Rival' }, role: 'owner' } });
  t.deepEqual(there.body, (await mine.get('/v1/me')).body);
  t.is((await mine.get(`/v1/sources/${source.id}`)).status, 404);
  const { body: log } = await mine.get('/v1/audit-log');
  t.like(log.data[0], { action: 'session.created', target_id: mine.session_id, actor_id: mine.user.id });
});

test('an organization of which somebody is no member is 404 to change to, as one that never was', async t => {
  const { person, organization } = await world(t, { own_database: true });
  const mine = await person('owner');
  const other = await organization('Rival');
  const [foreign, never] = [
    await mine.put('/v1/me/organization', { id: other.id }),
    await mine.put('/v1/me/organization', { id: newId('org') }),
  ];
  t.is(foreign.status, 404);
  t.deepEqual(foreign.body.error, never.body.error);
  t.is((await mine.put('/v1/me/organization', { id: 'Rival' })).status, 400);
  t.is((await mine.put('/v1/me/organization', {})).status, 400);
  t.is((await mine.get('/v1/me')).body.organization.name, 'Acme');
});

test('in the other organization a second factor may be needed that was not here', async t => {
  const { person, organization, db } = await world(t, { own_database: true, settings: { ENVIRONMENT: 'production' } });
  const mine = await person('developer');
  const other = await organization('Rival');
  await addMember(db, other.id, { user_id: mine.user.id, role: 'admin', created_by: null }, Date.now());
  const there = await mine.put('/v1/me/organization', { id: other.id });
  t.deepEqual(there.body.second_factor, { required: true, enrolled: false, shown: false });
  t.is((await mine.get('/v1/sources')).status, 403);
  t.is((await mine.post('/v1/second-factor/totp', {})).status, 201);
});

test('somebody in more organizations than are listed finds the one they act in among them', async t => {
  const { person, db, tenant } = await world(t, { own_database: true });
  const ada = await person('owner');
  await db.query(sql.unsafe`
    insert into organizations (id, name, created_at)
    select 'org_' || lpad(n::text, 26, '0'), '0 ' || n, now() from generate_series(1, 250) n`);
  await db.query(sql.unsafe`
    insert into members (org_id, user_id, role, created_at)
    select id, ${ada.user.id}, 'developer', now() from organizations where name like '0 %'`);
  const { status, body } = await ada.get('/v1/me');
  t.is(status, 200);
  t.is(body.organization.id, tenant.org_id);
  t.is(body.organizations.at(-1).id, tenant.org_id);
  t.is(body.organizations.length, 200);
});
