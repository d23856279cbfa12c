import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { migrate } from '#sql/migrate.ts';
import { queryAt } from '#test/helpers/embedded_postgres.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

test('a look-up of events finds them by their keys, in a log that was analyzed when it did not exist', async t => {
  const { database, db, as: first, client, organization, key } = await world(t, { own_database: true });
  for (let batch = 0; batch < 5; batch += 1)
    await first.post('/v1/events', { events: Array.from({ length: 500 }, () => event()) });
  await queryAt(database.owner_url, 'analyze');
  const { id: org_id } = await organization('Second');
  await client((await key(org_id)).key).post('/v1/events', { events: Array.from({ length: 500 }, () => event()) });
  const plan = await db.any(sql.type(z.object({ 'QUERY PLAN': z.string() }))`
    explain (costs off) select e.id from ${sql.unnest([[1]], ['int8'])} as r (chain_seq)
    join events e on e.org_id = ${org_id} and e.environment = 'sandbox' and e.chain_seq = r.chain_seq`);
  t.regex(
    plan.map(line => line['QUERY PLAN']).join('\n'),
    /events_pkey[^\n]*\n.*Index Cond: .*chain_seq = r\.chain_seq/,
  );
});

test('analysis leaves what is assumed of organizations as it is, and what a restore lost comes back', async t => {
  const { database } = await world(t, { own_database: true });
  // As after a restore from a dump.
  await queryAt(database.owner_url, `select pg_clear_attribute_stats('public', 'events', 'org_id', false)`);
  await migrate(database.owner_url);
  await queryAt(database.owner_url, 'analyze');
  const [counted] = await queryAt(
    database.owner_url,
    `select count(*)::int as columns, count(*) filter (where s.n_distinct = 1 and s.most_common_vals is null)::int as assumed
     from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
     left join pg_stats s on s.tablename = c.relname and s.schemaname = 'public' and s.attname = a.attname
     where a.attname in ('org_id', 'environment') and c.relname in ('events', 'alerts', 'alert_events', 'agents', 'payees')`,
  );
  t.is(counted?.['columns'], 10);
  t.is(counted?.['assumed'], counted?.['columns']);
});
