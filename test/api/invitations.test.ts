import test from 'ava';
import { lobby } from '#test/helpers/lobby.ts';
import { linkIn } from '#test/helpers/mail.ts';
import { world } from '#test/helpers/world.ts';

test('an invitation is mailed, resent while it is pending, and accepted by signing in', async t => {
  const { open, mail, person } = await lobby(t);
  const owner = await person('owner');
  const { status, body: member } = await owner.post('/v1/members', { email: 'eve@example.com', role: 'developer' });
  t.deepEqual([status, member.last_seen_at], [201, null]);
  const resend = () => owner.post(`/v1/members/${member.id}/invitation`, {});
  t.is((await resend()).status, 200);
  const mails = await mail.mails(2);
  for (const text of mails) t.regex(text, /To: eve@example\.com[\s\S]*invited you to/);
  const eve = open();
  await eve.post('/v1/sign-in', { email: 'eve@example.com' });
  t.is((await eve.post(linkIn((await mail.mails(3)).at(-1)))).status, 303);
  const { data } = (await owner.get('/v1/members')).body;
  t.not(data.find(({ id }: { id: string }) => id === member.id).last_seen_at, null);
  t.is((await resend()).status, 409);
});

test('a mailbox is not filled with invitations', async t => {
  const { person } = await lobby(t);
  const owner = await person('owner');
  const { body } = await owner.post('/v1/members', { email: 'eve@example.com', role: 'developer' });
  const answers = new Set<number>();
  for (let sent = 0; sent < 30; sent += 1)
    answers.add((await owner.post(`/v1/members/${body.id}/invitation`, {})).status);
  t.deepEqual([...answers], [200, 429]);
});

test('whoever was invited is found by a part of their name or address, in their organization alone', async t => {
  const { person, organization } = await world(t);
  const [owner, elsewhere] = [await person('owner'), await person('owner', { of: (await organization('Rival')).id })];
  // Addresses that no other test has: a user who is there already keeps their name.
  const { id } = (await owner.post('/v1/members', { email: 'ada@found.example', role: 'admin', name: 'Ada Lovelace' }))
    .body;
  const find = async (by: typeof owner, q: string) =>
    (await by.get(`/v1/members?q=${encodeURIComponent(q)}`)).body.data.map((member: { id: string }) => member.id);
  const other = { email: 'emile@found.example', role: 'admin', name: 'Émile' };
  const { id: emile } = (await owner.post('/v1/members', other)).body;
  for (const q of ['Émile', 'éMI', 'ÉMILE']) t.deepEqual(await find(owner, q), [emile], q);
  for (const q of ['LOVE', 'da@found', id])
    t.deepEqual([await find(owner, q), await find(elsewhere, q)], [[id], []], q);
  t.deepEqual(await find(owner, 'ada_found'), []);
});
