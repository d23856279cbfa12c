import { randomBytes } from 'node:crypto';
import test from 'ava';
import pg from 'pg';
import { migrate, migrateUpTo } from '#sql/migrate.ts';
import { until } from '#test/helpers/until.ts';

const owner_url = process.env['TEST_OWNER_URL'] ?? '';

test('blocks of a log from before amounts were noted get theirs, what was left the next time, and while events are added', async t => {
  const name = `fill_${randomBytes(6).toString('hex')}`;
  const superuser = new pg.Client({ connectionString: owner_url });
  await superuser.connect();
  await superuser.query(`create database ${name}`);
  const url = Object.assign(new URL(owner_url), { pathname: `/${name}` }).href;
  const [writer, clerk] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  t.teardown(async () => {
    await Promise.all([writer.end(), clerk.end()]);
    await superuser.query(`drop database ${name} with (force)`);
    await superuser.end();
  });
  await migrateUpTo(url, '0118_findings_in_cooldown');
  await Promise.all([writer.connect(), clerk.connect()]);
  const add = (org: string, seqs: string, micro: string) =>
    writer.query(`
      insert into events (org_id, environment, chain_seq, id, type, occurred_at, received_at, source_id, agent_id, owner_id, payee_id, payment_id,
        rail, status, amount_usd_micro, evidence_count, price_key, event_digest, leaf_hash, input)
      select '${org}', 'sandbox', n, 'evt_' || n, 'payment.settled', '2026-11-20', '2026-11-20', 's', 'a', 'o', 'p', 'm', 'card', 'settled',
        ${micro}, 0, '', '', '', '{}' from generate_series(${seqs}) n`);
  await add('org_1', '1, 3000', 'n');
  await add('org_2', '1, 9', 'null');
  await add('org_2', `4096, 4100`, 'case when n % 2 = 0 then n end');
  const blocks = async () => {
    const { rows } = await clerk.query(
      'select org_id, block::int, smallest, largest from event_blocks order by org_id, block',
    );
    return rows.map(row => Object.values(row).join(' '));
  };

  t.deepEqual((await migrate(url)).slice(0, 2), ['0119_block_amounts', '0120_open_blocks']);
  const noted = ['org_1 0 1 2047', 'org_1 1 2048 3000', 'org_2 0 Infinity -Infinity', 'org_2 2 4096 4100'];
  t.deepEqual(await blocks(), noted);

  // As an interrupted migration leaves it, until the next.
  await writer.query(`update event_blocks set smallest = null, largest = null where org_id = 'org_1' and block = 1`);
  await add('org_1', '3003, 3003', '1');
  t.is((await blocks())[1], 'org_1 1  ', 'one event says nothing of the others');
  await writer.query('begin');
  await add('org_1', '3004, 3005', '7 * n');
  const migrated = migrate(url);
  await until(async () => {
    const { rows } = await clerk.query(
      `select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()`,
    );
    return rows.length > 0;
  });
  await writer.query('commit');
  await migrated;
  t.is((await blocks())[1], 'org_1 1 1 21035', 'what was being added is among them');
  await add('org_2', '10, 10', '5');
  t.is((await blocks())[2], 'org_2 0 5 5');
  const in_euro = `'{"payment":{"amount":{"currency":"EUR"}}}'`;
  await writer.query(`
    insert into events (org_id, environment, chain_seq, id, type, occurred_at, received_at, source_id, agent_id, owner_id, payee_id, payment_id,
      rail, status, evidence_count, price_key, event_digest, leaf_hash, input)
    select 'org_2', 'sandbox', 11, 'evt_11', 'payment.settled', '2026-11-20', '2026-11-20', 's', 'a', 'o', 'p', 'm', 'card', 'settled', 0, '', '', '',
      ${in_euro}`);
  t.is((await blocks())[2], 'org_2 0 -Infinity Infinity', 'it may be priced yet');
  await writer.query(`update event_blocks set smallest = null, largest = null where org_id = 'org_2' and block = 0`);
  await migrate(url);
  t.is((await blocks())[2], 'org_2 0 -Infinity Infinity');
});
