import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { prune } from '#shared/running/work/prune.ts';
import { DAY } from '#shared/values/time.ts';
import { world } from '#test/helpers/world.ts';

test('what has expired is removed, and nothing before', async t => {
  const { as, client, person, services, db } = await world(t, { own_database: true });
  await as.post('/v1/sources', { name: 'till', kind: 'other' }, { 'idempotency-key': 'k-1' });
  await client().post('/v1/sign-in', { email: 'ada@example.com' });
  const ada = await person('owner');
  await ada.post('/v1/second-factor/totp', {});
  await ada.post('/v1/second-factor/passkeys/options', {});
  const Counts = z.object({
    answers: z.number(),
    links: z.number(),
    limits: z.number(),
    sessions: z.number(),
    totp: z.number(),
    challenges: z.number(),
  });
  const counts = () =>
    db.one(sql.type(
      Counts,
    )`select (select count(*) from idempotency_keys) as answers, (select count(*) from sign_in_links) as links,
      (select count(*) from attempt_limits) as limits, (select count(*) from sessions) as sessions,
      (select count(*) from pending_totp) as totp, (select count(*) from passkey_challenges) as challenges`);
  const before = { answers: 1, links: 1, limits: 2, sessions: 1, totp: 1, challenges: 1 };
  t.deepEqual(await counts(), before);
  await prune(services);
  t.deepEqual(await counts(), before);
  await prune({ ...services, now: () => services.now() + 8 * DAY });
  t.deepEqual(await counts(), { answers: 0, links: 0, limits: 0, sessions: 0, totp: 0, challenges: 0 });
});

test('one kind that cannot be removed does not keep the others', async t => {
  const { client, services, db } = await world(t, { own_database: true });
  await client().post('/v1/sign-in', { email: 'ada@example.com' });
  const failing = {
    ...services,
    db: {
      ...db,
      query: (query: Parameters<typeof db.query>[0]) =>
        query.sql.includes('sign_in_links') ? Promise.reject(new Error('away')) : db.query(query),
    } as typeof db,
  };
  await prune({ ...failing, now: () => services.now() + 8 * DAY });
  const Left = z.object({ links: z.number(), limits: z.number() });
  t.deepEqual(
    await db.one(
      sql.type(
        Left,
      )`select (select count(*) from sign_in_links) as links, (select count(*) from attempt_limits) as limits`,
    ),
    { links: 1, limits: 0 },
  );
});
