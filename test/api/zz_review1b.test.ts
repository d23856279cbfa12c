import test from 'ava';
import { sql } from '#shared/db.ts';
import { createLink } from '#shared/resources/sign_in_links.ts';
import { addMember } from '#shared/resources/users.ts';
import { accounts, statusesOf } from '#test/helpers/account.ts';
import { totpCode } from '#test/helpers/totp.ts';
import { world } from '#test/helpers/world.ts';

const tally = (replies: any[]) => { const m: Record<string, number> = {}; for (const r of replies) m[r.status] = (m[r.status] ?? 0) + 1; return m; };

test('factor storm', async t => {
  const { somebody, enrollTotp, enrollPasskey, signedIn, clock, db } = await accounts(t);
  const mine = await somebody('developer');
  const { secret, recovery_codes } = await enrollTotp(mine);
  for (let round = 0; round < 6; round += 1) {
    clock.at += 16 * 60_000;
    const others = await Promise.all([1, 2, 3, 4].map(() => signedIn(mine.user.id)));
    const all = await Promise.all([
      ...others.map((o, i) => o.post('/v1/second-factor/verify', i % 2 ? { code: totpCode(secret, clock.at) } : { recovery_code: recovery_codes?.[i + round] })),
      mine.post('/v1/second-factor/recovery-codes'),
      mine.post('/v1/second-factor/totp'),
      mine.delete('/v1/second-factor/totp'),
      ...others.map(o => o.post('/v1/sign-out')),
      mine.put('/v1/me/organization', { id: 'org_01ARZ3NDEKTSV4RRFFQ69G5FAV' }),
    ]);
    t.log(tally(all));
    const state = await mine.get('/v1/second-factor');
    if (state.status !== 200) { t.log(state.status); break; }
    if (!state.body.totp) await enrollTotp(mine).catch(e => t.log(String(e)));
  }
  t.pass();
});

test('member storm', async t => {
  const { api, person, member, db, config, tenant, organization, session, client } = await world(t, { settings: { DATABASE_POOL: '12' } });
  const owners = [await person('owner'), await person('owner'), await person('admin'), await person('owner')];
  const rival = await organization('Rival');
  const rivalOwner = await person('owner', { of: rival.id });
  const total: any[] = [];
  for (let round = 0; round < 10; round += 1) {
    const users = [await member('developer'), await member('admin')];
    for (const user of users) await addMember(db, rival.id, { user_id: user.id, role: 'developer', created_by: null }, Date.now());
    const jobs: Promise<any>[] = [];
    for (const user of users) {
      const s = client({ cookie: (await session(user.id)).cookie });
      const { token } = await createLink(db, config.secret_key, { user_id: user.id, binding: null }, Date.now());
      jobs.push(
        fetch(`${api.address}/sign-in/${token}`, { method: 'POST', headers: { origin: api.address }, redirect: 'manual' }),
        s.put('/v1/me/organization', { id: rival.id }),
        s.get('/v1/me'),
        s.post('/v1/cases', { title: 'x', assignee_id: user.id }),
        owners[0]!.delete(`/v1/members/${user.id}`),
        owners[1]!.patch(`/v1/members/${user.id}`, { role: 'admin' }),
        owners[2]!.post('/v1/members', { email: user.email, role: 'developer' }),
        rivalOwner.delete(`/v1/members/${user.id}`),
        rivalOwner.post('/v1/members', { email: user.email, role: 'owner' }),
        owners[3]!.patch(`/v1/members/${owners[2]!.user.id}`, { role: round % 2 ? 'admin' : 'owner' }),
      );
    }
    total.push(...(await Promise.all(jobs)));
    const orphan = await db.any(sql.unsafe`select s.id from sessions s where not exists (select from members m where m.org_id = s.org_id and m.user_id = s.user_id)`);
    t.is(orphan.length, 0);
  }
  t.log(tally(total));
  t.false(total.some(r => r.status >= 500));
});

test('idempotent members and role changes', async t => {
  const { person, db } = await world(t);
  const owner = await person('owner');
  const admin = await person('admin');
  const k = { 'idempotency-key': 'same' };
  const made = await admin.post('/v1/members', { email: 'x@example.com', role: 'developer' }, k);
  t.is(made.status, 201);
  await owner.patch(`/v1/members/${admin.user.id}`, { role: 'developer' });
  const r = await admin.post('/v1/members', { email: 'x@example.com', role: 'developer' }, k);
  t.is(r.status, 403);
  await owner.patch(`/v1/members/${admin.user.id}`, { role: 'admin' });
  const all = await Promise.all(Array.from({ length: 10 }, () => admin.post('/v1/members', { email: 'y@example.com', role: 'developer' }, { 'idempotency-key': 'k2' })));
  t.log(all.map(x => [x.status, x.headers.get('idempotent-replayed')]).join(' '));
});
