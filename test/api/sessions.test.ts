import test from 'ava';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { pruneTable } from '#shared/running/work/prune.ts';
import { addMember } from '#shared/people/users.ts';
import { world } from '#test/helpers/world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('somebody sees where they are signed in, and nobody else’s sessions', async t => {
  const { person, session, client } = await world(t);
  const [mine, other] = [await person('developer'), await person('owner')];
  const phone = await session(mine.user.id);
  const { body } = await mine.get('/v1/sessions');
  t.deepEqual(
    body.data.map(({ id, current }: { id: string; current: boolean }) => [id, current]),
    [
      [phone.id, false],
      [mine.session_id, true],
    ],
  );
  t.is(body.next_cursor, null);
  t.deepEqual(
    (await client({ cookie: phone.cookie }).get('/v1/sessions')).body.data.map(
      ({ current }: { current: boolean }) => current,
    ),
    [true, false],
  );
  t.is((await other.get('/v1/sessions')).body.data.length, 1);
});

test('sessions come page by page, as every list', async t => {
  const { person, session } = await world(t);
  const mine = await person('developer');
  const begun = [mine.session_id, (await session(mine.user.id)).id, (await session(mine.user.id)).id].toReversed();
  const { body } = await mine.get('/v1/sessions?limit=2');
  const rest = await mine.get(`/v1/sessions?limit=2&cursor=${body.next_cursor}`);
  t.deepEqual(
    [...body.data, ...rest.body.data].map(({ id }: { id: string }) => id),
    begun,
  );
  t.is(rest.body.next_cursor, null);
  t.is((await mine.get('/v1/sessions?limit=201')).status, 400);
});

test('ending a session elsewhere signs out there and nowhere else', async t => {
  const { person, session, client } = await world(t);
  const mine = await person('developer');
  const phone = await session(mine.user.id);
  const away = client({ cookie: phone.cookie });
  t.is((await away.get('/v1/me')).status, 200);
  const ended = await mine.delete(`/v1/sessions/${phone.id.toLowerCase()}`);
  t.like(ended, { status: 200, body: { id: phone.id, current: false } });
  t.deepEqual(ended.headers.getSetCookie(), []);
  t.is((await away.get('/v1/me')).status, 401);
  t.is((await mine.get('/v1/me')).status, 200);
  t.is((await mine.delete(`/v1/sessions/${phone.id}`)).status, 404);
});

test('somebody may end the session they are in, and its cookie is worth nothing then', async t => {
  const { person } = await world(t);
  const mine = await person('developer');
  const ended = await mine.delete(`/v1/sessions/${mine.session_id}`);
  t.like(ended, { status: 200, body: { id: mine.session_id, current: true } });
  t.regex(ended.headers.getSetCookie()[0] ?? '', /^session=; Path=\/; Max-Age=0;/);
  t.is((await mine.get('/v1/me')).status, 401);
});

test('signing out ends this session alone, and clears its cookie', async t => {
  const { person, session, client } = await world(t);
  const mine = await person('owner');
  const phone = await session(mine.user.id);
  const done = await mine.post('/v1/sign-out', {});
  t.deepEqual([done.status, done.body], [200, {}]);
  t.regex(done.headers.getSetCookie()[0] ?? '', /^session=; Path=\/; Max-Age=0;/);
  t.is((await mine.get('/v1/me')).status, 401);
  t.is((await mine.post('/v1/sign-out', {})).status, 401);
  t.is((await client({ cookie: phone.cookie }).get('/v1/me')).status, 200);
});

test('the session of somebody else is 404 to end, as one that never was', async t => {
  const { person } = await world(t);
  const [mine, other] = [await person('owner'), await person('developer')];
  const [foreign, never] = [
    await mine.delete(`/v1/sessions/${other.session_id}`),
    await mine.delete(`/v1/sessions/${newId('ses')}`),
  ];
  t.is(foreign.status, 404);
  t.deepEqual(foreign.body.error, never.body.error);
  t.is((await other.get('/v1/me')).status, 200);
});

test('a session ends twelve hours after it was last used', async t => {
  const clock = { at: Date.parse('2026-11-20T10:00:00Z') };
  const { person, db } = await world(t, { now: () => clock.at });
  const mine = await person('developer');
  clock.at += 12 * HOUR - 1;
  t.is((await mine.get('/v1/me')).status, 200, 'and this use carries it on');
  clock.at += 12 * HOUR - 1;
  t.is((await mine.get('/v1/me')).status, 200);
  t.is(await pruneTable(db, 'sessions', clock.at), 0);
  clock.at += 12 * HOUR;
  t.is((await mine.get('/v1/me')).status, 401);
  t.is(await pruneTable(db, 'sessions', clock.at), 1);
});

test('a session ends seven days after it began, however much it is used', async t => {
  const clock = { at: Date.parse('2026-11-20T10:00:00Z') };
  const { person } = await world(t, { now: () => clock.at });
  const mine = await person('developer');
  const { body } = await mine.get('/v1/sessions');
  t.is(body.data[0].expires_at, '2026-11-27T10:00:00.000Z');
  const end = clock.at + 7 * DAY;
  for (; clock.at < end - 1; clock.at = Math.min(clock.at + 11 * HOUR, end - 1))
    t.is((await mine.get('/v1/me')).status, 200);
  t.is((await mine.get('/v1/me')).status, 200);
  clock.at += 1;
  t.is((await mine.get('/v1/me')).status, 401);
});

test('a session is worth nothing once its user is no member any more', async t => {
  const { person, db, tenant } = await world(t);
  const mine = await person('developer');
  t.is((await mine.get('/v1/me')).status, 200);
  await db.query(sql.unsafe`delete from members where org_id = ${tenant.org_id} and user_id = ${mine.user.id}`);
  t.is((await mine.get('/v1/me')).status, 401);
  t.is((await mine.get('/v1/sources')).status, 401);
});

test('a role that is lowered is lowered at once, in the sessions that go on', async t => {
  const { person, db } = await world(t);
  const mine = await person('admin');
  t.is((await mine.get('/v1/audit-log')).status, 200);
  await db.query(sql.unsafe`update members set role = 'developer' where user_id = ${mine.user.id}`);
  t.is((await mine.get('/v1/audit-log')).status, 403);
  t.is((await mine.get('/v1/me')).body.role, 'developer');
});

test('a session that is ended is in the log of the organization that it acted in', async t => {
  const { person, organization, session, now, as, db } = { ...(await world(t)), now: Date.now };
  const mine = await person('owner');
  const other = await organization('Rival');
  await addMember(db, other.id, { user_id: mine.user.id, role: 'owner', created_by: null }, now());
  const there = await session(mine.user.id, other.id);
  t.is((await mine.delete(`/v1/sessions/${there.id}`)).status, 200);
  t.deepEqual((await mine.get('/v1/audit-log')).body.data, []);
  await mine.put('/v1/me/organization', { id: other.id });
  const { body } = await mine.get(`/v1/audit-log?target_id=${there.id}`);
  t.like(body.data[0], { action: 'session.ended', actor_id: mine.user.id });
  t.is((await as.get('/v1/sessions')).status, 403, 'keys have no sessions');
});
