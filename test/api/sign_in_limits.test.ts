import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { pruneTable } from '#shared/running/work/prune.ts';
import { browser } from '#test/helpers/browser.ts';
import { lobby } from '#test/helpers/lobby.ts';

const MINUTE = 60_000;

test('a client may ask five times in 15 minutes, and thirty times may be asked for one address; then 429, known or not', async t => {
  const { open, clock, user, db } = await lobby(t, { TRUSTED_PROXIES: '1' });
  const ask = (email: string, ip: string) => open().post('/v1/sign-in', { email }, { 'x-forwarded-for': ip });
  const answers = [];
  for (const [network, email] of [
    ['203.0.113', user.email],
    ['198.51.100', 'nobody@example.com'],
  ] as const) {
    for (let count = 0; count < 30; count += 1) t.is((await ask(email, `${network}.${count}`)).status, 202);
    const { status, body, headers } = await ask(email.toUpperCase(), `${network}.99`);
    answers.push({ status, error: body.error, retry: headers.get('retry-after') });
  }
  t.like(answers[0], { status: 429, error: { code: 'rate_limited' }, retry: '900' });
  t.deepEqual(answers[1], answers[0]);
  const client = (count: number) => ask(`someone-${count}@example.com`, `2001:db8:0:1::${count}`);
  for (let count = 0; count < 5; count += 1) t.is((await client(count)).status, 202);
  t.is((await client(6)).status, 429, 'one subscriber has a whole /64');
  t.is((await ask('other@example.com', '2001:db8:0:2::1')).status, 202);
  clock.at += 15 * MINUTE - 1;
  t.is((await ask(user.email, '203.0.113.77')).headers.get('retry-after'), '1');
  clock.at += 1;
  t.is((await ask(user.email, '203.0.113.77')).status, 202);
  t.true((await pruneTable(db, 'attempt_limits', clock.at)) > 10);
});

test('whoever asks for somebody else five times does not keep them from signing in', async t => {
  const { open, user } = await lobby(t, { TRUSTED_PROXIES: '1' });
  const ask = (ip: string) => open().post('/v1/sign-in', { email: user.email }, { 'x-forwarded-for': ip });
  for (let count = 0; count < 5; count += 1) t.is((await ask('203.0.113.1')).status, 202);
  t.is((await ask('203.0.113.1')).status, 429);
  t.is((await ask('198.51.100.1')).status, 202);
});

test('of many requests of one client at once five are let through, on two processes too', async t => {
  const { startServer, api, user, db } = await lobby(t, { TRUSTED_PROXIES: '1' });
  const other = await startServer();
  const replies = await Promise.all(
    Array.from({ length: 14 }, (_, count) =>
      browser(t, count % 2 === 0 ? api.address : other.address).post(
        '/v1/sign-in',
        { email: user.email },
        { 'x-forwarded-for': '203.0.113.1' },
      ),
    ),
  );
  t.is(replies.filter(({ status }) => status === 202).length, 5);
  t.is(replies.filter(({ status }) => status === 429).length, 9);
  t.is(await db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from sign_in_links`), 5);
});
