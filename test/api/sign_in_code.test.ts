import test from 'ava';
import { lobby } from '#test/helpers/lobby.ts';

test('another browser is shown a code, and the first one is signed in with it, however it is typed', async t => {
  const { open, ask, user } = await lobby(t);
  for (const type of [
    (code: string) => code,
    (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase(),
    (code: string) => ` ${code.split('').join(' ')} `,
  ]) {
    const [mine, phone] = [open(), open()];
    const path = await ask(mine);
    const codes = new Set<string>();
    for (const reply of [await phone.get(path), await phone.post(path), await phone.get(path)]) {
      t.is(reply.status, 200);
      codes.add(/>([A-HJ-NP-Z2-9]{8})</.exec(reply.body)?.[1] ?? '');
      t.notRegex(reply.body, /<form/);
    }
    t.is(codes.size, 1, 'the same each time');
    t.is(phone.cookies.size, 0);
    const { status, body } = await mine.post('/v1/sign-in/code', { code: type([...codes][0] ?? '') });
    t.is(status, 200);
    t.like(body, { current: true, second_factor: false });
    t.is((await mine.get('/v1/me')).body.user.id, user.id);
    t.is((await mine.post(path)).status, 404, 'the link is used up with its code');
  }
});

test('a code is worth nothing in a browser that did not ask', async t => {
  const { open, ask } = await lobby(t);
  const [mine, phone, thief] = [open(), open(), open()];
  const { body } = await phone.get(await ask(mine));
  const code = />([A-Z2-9]{8})</.exec(body)?.[1] ?? '';
  await thief.post('/v1/sign-in', { email: 'thief@example.com' });
  t.is((await thief.post('/v1/sign-in/code', { code })).status, 422);
  t.is((await open().post('/v1/sign-in/code', { code })).status, 404);
  t.is((await mine.post('/v1/sign-in/code', { code })).status, 200);
});

test('the fifth wrong code ends the link, whoever the address belongs to, and also when they come at once', async t => {
  const { open, ask } = await lobby(t);
  const mine = open();
  const path = await ask(mine);
  const stranger = open();
  await stranger.post('/v1/sign-in', { email: 'nobody@example.com' });
  for (const sender of [mine, stranger]) {
    const guesses = Array.from({ length: 9 }, () => sender.post('/v1/sign-in/code', { code: 'AAAA-AAAA' }));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    t.deepEqual(statuses.toSorted(), [404, 404, 404, 404, 422, 422, 422, 422, 422]);
  }
  t.is((await mine.get(path)).status, 404);
  t.is((await mine.post(path)).status, 404);
});
