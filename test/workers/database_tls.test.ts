import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { processTypes } from '#shared/platform/jobs.ts';
import { selfSigned } from '#test/fixtures/self_signed.ts';
import * as certificates from '#test/fixtures/tls.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { closeAfter, preparedFolder, queryAt } from '#test/helpers/embedded_postgres.ts';
import { event } from '#test/helpers/make.ts';
import { run } from '#test/helpers/process.ts';
import { serviceOn } from '#test/helpers/service_on.ts';
import { until } from '#test/helpers/until.ts';

/** A server that takes the role `guest` over TLS alone, with a certificate for `localhost` of a private authority. */
async function testTlsServer(t: ExecutionContext) {
  const folder = await preparedFolder(t);
  const { owner_url, directory } = closeAfter(t, await openEmbeddedPostgres({ data_dir: folder }));
  const { uid, gid } = await stat(join(directory, 'PG_VERSION'));
  for (const [name, text] of [
    ['server.crt', certificates.localhost],
    ['server.key', certificates.key],
  ] as const) {
    await writeFile(join(directory, name), text, { mode: 0o600 });
    await chown(join(directory, name), uid, gid);
  }
  const rules = join(directory, 'pg_hba.conf');
  await writeFile(rules, `hostnossl all guest all reject\n${await readFile(rules, 'utf8')}`);
  for (const statement of [
    `create role guest superuser login password 'let-me-in'`,
    'alter system set ssl = on',
    'select pg_reload_conf()',
  ])
    await queryAt(owner_url, statement);
  const trusted = join(folder, 'authority.pem');
  const strange = join(folder, 'strange.pem');
  await writeFile(trusted, certificates.authority);
  await writeFile(strange, selfSigned.cert);
  const { port } = new URL(owner_url);
  const urlOf = (host: string, ca: string) =>
    `postgres://guest:let-me-in@${host}:${port}/oversight?sslmode=verify-full&sslrootcert=${encodeURIComponent(ca)}`;
  const url = urlOf('localhost', trusted);
  // The server reads its settings again when it comes to it.
  await until(() =>
    queryAt(url, 'select 1').then(
      () => true,
      () => false,
    ),
  );
  return { url, wrong_authority: urlOf('localhost', strange), wrong_name: urlOf('127.0.0.1', trusted) };
}

test('over TLS with a private authority, a payment made twice comes through as a webhook, and commands run', async t => {
  const { url } = await testTlsServer(t);
  const { settings, as, received } = await serviceOn(t, { DATABASE_URL: url });
  const payments = [1, 2].map(() => event({ more: { context: { tool_call_id: 'call' } } }));
  t.is((await as.post('/v1/events', { events: payments })).body.accepted, 2);
  await until(() => received.some(({ body }) => String(body).includes('alert.created')));
  const admin = adminOf(t, settings);
  t.like(await admin.json('org', 'list'), { data: [{ name: 'Acme' }] });
  t.like(await admin.json('log', 'verify', '--org', 'Acme'), { ok: true, size: 2 });
  const [{ plain, of_queue } = {}] = await queryAt(
    url,
    `select count(*) filter (where not s.ssl) as plain, count(*) filter (where application_name = 'oversight-queue') as of_queue
    from pg_stat_activity a join pg_stat_ssl s using (pid) where usename = 'guest'`,
  );
  t.is(plain, '0');
  // A listening connection for each kind of job, and those for queries.
  t.true(Number(of_queue) > processTypes.length, `${of_queue} connections of the queue`);
});

test('a server whose authority or name is another is refused in a sentence, without the password', async t => {
  const { wrong_authority, wrong_name } = await testTlsServer(t);
  for (const [DATABASE_URL, why] of [
    [wrong_authority, /self-signed certificate|unable to verify/],
    [wrong_name, /127\.0\.0\.1/],
  ] as const) {
    const { code, stdout, stderr } = await run(t, 'sql/migrate.ts', [], { DATABASE_URL }).ended;
    t.is(code, 1);
    t.regex(stderr, why);
    t.is(stderr.trim().split('\n').length, 1, stderr);
    t.false(`${stdout}${stderr}`.includes('let-me-in'));
  }
});
