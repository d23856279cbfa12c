import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { askFor, idFor, inhabit, recordRoutes } from '#test/helpers/inhabit.ts';
import { guarded, nameOf } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

const Row = z.object({
  action: z.string(),
  actor_id: z.string().nullable(),
  target_id: z.string().nullable(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  request_id: z.string().nullable(),
});

test('whatever changes something says whose readers must look again', t => {
  const unsafe = guarded.filter(({ method }) => method !== 'get');
  const silent = unsafe.filter(({ changes }) => changes === undefined).map(nameOf);
  // Events are the log, and have their own counters; validating, verifying, and a test message store nothing; of a wrong code its count must
  // remain, so these have transactions of their own.
  t.deepEqual(silent.toSorted(), [
    'POST /v1/events',
    'POST /v1/events/validate',
    'POST /v1/log/verify',
    'POST /v1/me/notifications/test',
    'POST /v1/second-factor/passkeys',
    'POST /v1/second-factor/passkeys/verify',
    'POST /v1/second-factor/verify',
  ]);
});

test('every change is in the audit log: who, what, and through which request', async t => {
  const here = await world(t, { own_database: true });
  const { db } = here;
  const { ids, owner, clientOf, made } = await inhabit(here);
  const replies = [...made];
  for (const route of recordRoutes.filter(({ method }) => method !== 'get'))
    replies.push({ route, reply: await askFor(clientOf(route), route, idFor(route, ids) ?? '', ids) });
  const rows = await db.any(
    sql.type(Row)`select action, actor_id, target_id, before, after, request_id from audit_log order by id`,
  );
  const done = replies.filter(({ reply }) => reply.status < 300);
  t.true(done.length > 15, `${done.length} of ${replies.length}`);
  for (const { route, reply } of done) {
    const written = rows.filter(row => row.request_id === reply.headers.get('request-id'));
    t.true(written.length > 0, nameOf(route));
    for (const row of written) {
      t.regex(row.action, /^[a-z_]+\.[a-z_]+$/);
      t.true(
        [owner.user.id, here.full.id].includes(row.actor_id ?? '') || row.actor_id?.startsWith('key_'),
        nameOf(route),
      );
      t.true(row.before !== null || row.after !== null || row.target_id !== null, nameOf(route));
    }
  }
  for (const { route, reply } of replies.filter(({ reply: { status } }) => status >= 400))
    t.false(
      rows.some(row => row.request_id === reply.headers.get('request-id')),
      `${nameOf(route)} changed nothing`,
    );
});

test('the audit log holds no secret, and cannot be changed by the service', async t => {
  const here = await world(t, { own_database: true });
  const { db } = here;
  const { made, owner } = await inhabit(here);
  const key = { name: 'spare', env: 'test' };
  const { body } = await owner.post('/v1/api-keys', key, { 'idempotency-key': 'k-1' });
  const again = await owner.post('/v1/api-keys', key, { 'idempotency-key': 'k-1' });
  t.deepEqual([again.status, again.body.error.code], [409, 'conflict']);
  t.true(again.body.error.message.includes(body.id));
  const secrets = made.flatMap(({ route, reply }) =>
    route.secret ? [String(reply.body.key ?? reply.body.secret)] : [],
  );
  t.true(secrets.length > 0);
  const Text = z.object({ text: z.string() });
  const text = await db.oneFirst(
    sql.type(Text)`
      select string_agg(a::text, ' ') || (select string_agg(i::text, ' ') from idempotency_keys i where i.org_id = ${here.tenant.org_id}) as text
      from audit_log a where a.org_id = ${here.tenant.org_id}`,
  );
  for (const secret of secrets) t.false(String(text).includes(secret));
  for (const statement of [sql.unsafe`delete from audit_log`, sql.unsafe`update audit_log set action = 'x'`])
    await t.throwsAsync(db.query(statement), { message: /permission denied/ });
});
