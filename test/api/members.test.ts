import test from 'ava';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { createLink } from '#shared/people/sign_in_links.ts';
import { addMember, ensureUser } from '#shared/people/users.ts';
import type { Client } from '#test/helpers/client.ts';
import { until } from '#test/helpers/until.ts';
import { type World, world } from '#test/helpers/world.ts';

const roleIn = async (client: Client, user_id: string): Promise<string | undefined> =>
  (await client.get('/v1/members')).body.data.find(({ id }: { id: string }) => id === user_id)?.role;
const change = (client: Client, { user }: { user: { id: string } }, role: string) =>
  client.patch(`/v1/members/${user.id}`, { role });
const remove = (client: Client, { user }: { user: { id: string } }) => client.delete(`/v1/members/${user.id}`);

/** One more session of somebody, in an organization. */
const sessionOf = async ({ session, client }: World, user_id: string, org_id: string) =>
  client({ cookie: (await session(user_id, org_id)).cookie });

test('somebody new is added by their e-mail address', async t => {
  const here = await world(t, { now: () => Date.parse('2026-11-20T10:00:00.000Z') });
  const admin = await here.person('admin');
  const { status, body } = await admin.post('/v1/members', {
    email: ' Ada@Example.com ',
    role: 'developer',
    name: 'Ada',
  });
  t.is(status, 201);
  t.deepEqual(body, {
    id: body.id,
    email: 'ada@example.com',
    name: 'Ada',
    role: 'developer',
    created_at: '2026-11-20T10:00:00.000Z',
    created_by: admin.user.id,
    second_factor: false,
    last_seen_at: null,
  });
  t.is((await (await sessionOf(here, body.id, here.tenant.org_id)).get('/v1/events')).status, 200);
});

test('somebody who has an account joins with it, and once', async t => {
  const { person, db, organization } = await world(t, { own_database: true });
  const admin = await person('admin');
  const known = await ensureUser(db, { email: 'eve@example.com', name: 'Eve' }, Date.now());
  const add = () => admin.post('/v1/members', { email: 'EVE@example.com', role: 'admin' });
  t.like((await add()).body, { id: known.id, name: 'Eve', role: 'admin' });
  t.is((await add()).status, 409);
  const elsewhere = await person('owner', { of: (await organization('Rival')).id });
  t.is((await elsewhere.post('/v1/members', { email: 'eve@example.com', role: 'owner' })).status, 201);
  t.is(await roleIn(admin, known.id), 'admin');
});

test('what one organization calls somebody is not told to another', async t => {
  const { person, organization } = await world(t, { own_database: true });
  const owner = await person('owner');
  const elsewhere = await person('owner', { of: (await organization('Rival')).id });
  const add = (from: Client, name?: string) =>
    from.post('/v1/members', { email: 'eve@example.com', role: 'developer', ...(name && { name }) });
  t.is((await add(owner)).body.name, null);
  t.is((await add(elsewhere, 'Eve of Rival')).body.name, null);
  const [eve] = (await owner.get('/v1/members')).body.data;
  t.like(eve, { email: 'eve@example.com', name: null });
});

test('members are listed who joined last first, page by page, with whether they have a second factor', async t => {
  const now = { time: Date.parse('2026-11-20T10:00:00.000Z') };
  const { person, organization } = await world(t, { now: () => now.time });
  const rival = await organization('Rival');
  const elsewhere = await person('owner', { of: rival.id });
  const owner = await person('owner', { second_factor: true });
  now.time += 1;
  const people = [await person('developer'), await person('developer'), await person('admin')];
  // Whoever made their account first joins last.
  now.time += 1;
  await owner.post('/v1/members', { email: elsewhere.user.email, role: 'developer' });
  const expected = [elsewhere, ...people.toReversed(), owner].map(({ user }) => user.id);
  const { data } = (await owner.get('/v1/members')).body;
  t.deepEqual(
    data.map(({ id }: { id: string }) => id),
    expected,
  );
  t.deepEqual(
    data.map((member: { second_factor: boolean }) => member.second_factor),
    [false, false, false, false, true],
  );
  t.deepEqual(
    data.map((member: { only_owner: boolean }) => member.only_owner),
    [false, false, false, false, true],
  );
  const paged: string[] = [];
  let cursor = '';
  do {
    const { body } = await owner.get(`/v1/members?limit=2${cursor}`);
    paged.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    if (cursor) t.is((await elsewhere.get(`/v1/members?limit=2${cursor}`)).status, 400);
  } while (cursor);
  t.deepEqual(paged, expected);
  const ids = [owner, ...people].map(({ user }) => user.id).join(',');
  t.is((await owner.get(`/v1/members?ids=${ids}`)).body.data.length, 4);
  t.deepEqual((await elsewhere.get(`/v1/members?ids=${ids}`)).body.data, []);
});

test('an admin makes, changes and removes developers and admins, and never owners', async t => {
  const { person } = await world(t);
  const [owner, admin, other, developer] = [
    await person('owner'),
    await person('admin'),
    await person('admin'),
    await person('developer'),
  ];
  t.is((await change(admin, developer, 'admin')).body.role, 'admin');
  t.is((await change(admin, developer, 'developer')).body.role, 'developer');
  t.is((await change(admin, other, 'developer')).status, 200);
  t.is((await remove(admin, other)).status, 200);
  for (const refused of [
    await change(admin, developer, 'owner'),
    await change(admin, admin, 'owner'),
    await change(admin, owner, 'developer'),
    await change(admin, owner, 'owner'),
    await remove(admin, owner),
    await admin.post('/v1/members', { email: 'new@example.com', role: 'owner' }),
  ]) {
    t.is(refused.status, 403);
    t.is(refused.body.error.code, 'forbidden');
  }
  t.is((await owner.post('/v1/members', { email: 'new@example.com', role: 'owner' })).status, 201);
  t.is((await change(owner, admin, 'owner')).body.role, 'owner');
  t.is((await remove(admin, owner)).status, 200);
});

test('the last owner can be neither removed nor lowered', async t => {
  const { person, organization } = await world(t);
  const owner = await person('owner');
  await person('owner', { of: (await organization('Rival')).id });
  for (const refused of [
    await change(owner, owner, 'admin'),
    await change(owner, owner, 'developer'),
    await remove(owner, owner),
  ]) {
    t.is(refused.status, 409);
    t.is(refused.body.error.code, 'conflict');
  }
  t.is((await change(owner, owner, 'owner')).status, 200);
  const second = await person('owner');
  t.is((await change(owner, owner, 'admin')).status, 200);
  t.is((await remove(second, second)).status, 409);
});

test('of two owners who lower or remove each other in the same moment, one stays owner', async t => {
  const { person } = await world(t);
  for (const act of [(a: Client, b: { user: { id: string } }) => change(a, b, 'admin'), remove]) {
    const [one, two] = [await person('owner'), await person('owner')];
    const former = await one.get('/v1/members');
    for (const { id, role } of former.body.data)
      if (role === 'owner' && id !== one.user.id && id !== two.user.id) await remove(one, { user: { id } });
    const replies = await Promise.all([act(one, two), act(two, one)]);
    t.is(replies.filter(({ status }) => status === 200).length, 1, JSON.stringify(replies.map(({ status }) => status)));
    const winner = replies[0]?.status === 200 ? one : two;
    const { data } = (await winner.get('/v1/members')).body;
    t.is(data.filter(({ role }: { role: string }) => role === 'owner').length, 1);
    t.is(await roleIn(winner, winner.user.id), 'owner');
  }
});

test('a role takes effect on sessions that are under way', async t => {
  const { person } = await world(t);
  const [owner, admin] = [await person('owner'), await person('admin')];
  t.is((await admin.get('/v1/audit-log')).status, 200);
  await change(owner, admin, 'developer');
  t.is((await admin.get('/v1/audit-log')).status, 403);
  t.is((await admin.get('/v1/events')).status, 200);
  await change(owner, admin, 'admin');
  t.is((await admin.get('/v1/audit-log')).status, 200);
});

test('developers and keys for cases see whom they can assign, and not what anybody may do', async t => {
  const { person, withScopes } = await world(t);
  const [owner, developer] = [await person('owner'), await person('developer')];
  const cases = await withScopes('cases:write');
  for (const from of [developer, cases]) {
    const { status, body } = await from.get('/v1/members');
    t.is(status, 200);
    t.deepEqual(body.data.at(-1), { id: owner.user.id, email: owner.user.email, name: owner.user.name });
  }
  t.like((await owner.get('/v1/members')).body.data.at(-1), { role: 'owner', second_factor: false });
  t.is((await (await withScopes('events:write')).get('/v1/members')).status, 403);
});

test('who is removed is out at once, and an old session does not come back with the membership', async t => {
  const here = await world(t);
  const { person, organization } = here;
  const [owner, developer] = [await person('owner'), await person('developer')];
  const rival = await organization('Rival');
  const elsewhere = await person('owner', { of: rival.id });
  await elsewhere.post('/v1/members', { email: developer.user.email, role: 'developer' });
  const there = await sessionOf(here, developer.user.id, rival.id);
  const { body: assigned } = await developer.post('/v1/cases', { title: 'x', assignee_id: developer.user.id });

  const { status, body } = await remove(owner, developer);
  t.is(status, 200);
  t.like(body, { id: developer.user.id, role: 'developer' });
  t.is((await developer.get('/v1/events')).status, 401);
  t.is((await there.get('/v1/events')).status, 200);
  t.is((await owner.get(`/v1/cases/${assigned.id}`)).body.assignee_id, developer.user.id);
  t.is((await owner.patch(`/v1/cases/${assigned.id}`, { priority: 'low' })).status, 200);
  t.is((await remove(owner, developer)).status, 404);

  t.is((await owner.post('/v1/members', { email: developer.user.email, role: 'developer' })).status, 201);
  t.is((await developer.get('/v1/events')).status, 401);
});

const hasSession = ({ db, tenant }: World, user_id: string) =>
  db.exists(sql.unsafe`select from sessions where org_id = ${tenant.org_id} and user_id = ${user_id}`);

test('who is removed while they sign in leaves no session behind', async t => {
  const here = await world(t);
  const { api, db, config, person, member } = here;
  const owner = await person('owner');
  for (let count = 0; count < 10; count += 1) {
    const user = await member('developer');
    const { token } = await createLink(db, config.secret_key, { user_id: user.id, binding: null }, Date.now());
    const [removed] = await Promise.all([
      remove(owner, { user }),
      fetch(`${api.address}/sign-in/${token}`, {
        method: 'POST',
        headers: { origin: api.address },
        redirect: 'manual',
      }),
    ]);
    t.is(removed.status, 200);
    t.false(await hasSession(here, user.id), `${count}`);
  }
});

test('who is removed while they come from another organization leaves no session behind', async t => {
  const here = await world(t, { own_database: true });
  const { db, person, member, organization, tenant } = here;
  const [owner, user, rival] = [await person('owner'), await member('developer'), await organization('Rival')];
  await addMember(db, rival.id, { user_id: user.id, role: 'developer', created_by: null }, Date.now());
  const there = await sessionOf(here, user.id, rival.id);
  const waiting = async (tx: Db) => {
    // In a transaction what is going on stands still.
    await tx.query(sql.unsafe`select pg_stat_clear_snapshot()`);
    return tx.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(distinct pid) from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()`);
  };
  const replies: Promise<{ status: number }>[] = [];
  let removed = false;
  await db.transaction(async tx => {
    // Holds the change of organization up in its middle.
    await tx.query(sql.unsafe`select from users where id = ${user.id} for update`);
    replies.push(there.put('/v1/me/organization', { id: tenant.org_id }));
    await until(async () => (await waiting(tx)) === 1);
    replies.push(remove(owner, { user }).finally(() => (removed = true)));
    await until(async () => removed || (await waiting(tx)) === 2);
  });
  for (const { status } of await Promise.all(replies)) t.is(status, 200);
  t.false(await hasSession(here, user.id));
});

test('managing members is for admins and owners, and each organization has its own', async t => {
  const { person, as, organization } = await world(t);
  const [owner, developer] = [await person('owner'), await person('developer')];
  const eve = await person('owner', { of: (await organization('Rival')).id });
  for (const client of [developer, as]) {
    t.is((await client.post('/v1/members', { email: 'a@example.com', role: 'developer' })).status, 403);
    t.is((await change(client, developer, 'owner')).status, 403);
    t.is((await remove(client, owner)).status, 403);
  }
  const never = { user: { id: newId('usr') } };
  t.deepEqual((await remove(eve, developer)).body.error, (await remove(eve, never)).body.error);
  t.is((await change(eve, developer, 'owner')).status, 404);
  t.is(await roleIn(eve, developer.user.id), undefined);
  t.is(await roleIn(owner, developer.user.id), 'developer');
});

test('a member who is not sound is refused where they are wrong', async t => {
  const { person } = await world(t);
  const owner = await person('owner');
  const wrong: [object, string][] = [
    [{ email: 'nobody' }, '/email'],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }, '/email'],
    [{ email: `${'a'.repeat(250)}@example.com` }, '/email'],
    [{ email: undefined }, '/email'],
    [{ role: 'root' }, '/role'],
    [{ name: '' }, '/name'],
    [{ name: 'a\nb' }, '/name'],
    [{ second_factor: true }, '/second_factor'],
  ];
  for (const [member, path] of wrong) {
    const { status, body } = await owner.post('/v1/members', { email: 'a@example.com', role: 'developer', ...member });
    t.is(status, 400, JSON.stringify(member));
    t.is(body.error.details[0].path, path);
  }
  t.is((await owner.patch(`/v1/members/${owner.user.id}`, {})).status, 400);
  t.is((await owner.get('/v1/members')).body.data.length, 1);
});
