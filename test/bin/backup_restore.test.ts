import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'ava';
import { startApi } from '#api/server.ts';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import { openDatabase } from '#shared/running/open_database.ts';
import { createServices } from '#shared/running/services.ts';
import { readConfig } from '#shared/settings/config.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { createClient } from '#test/helpers/client.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { event } from '#test/helpers/make.ts';
import { signedLog } from '#test/helpers/signed_log.ts';

test('a backup is verified in a server of its own, and restored on another machine the log goes on without a gap', async t => {
  const { config, database, full, publish, send, tenant } = await signedLog(t);
  const folder = await temporaryFolder(t);
  const [file, passphrase, target] = ['a.backup', 'passphrase', 'data'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const sent = await send(3);
  const key = config.secret_key[0].toString('base64');
  const pack = join(config.data_dir, 'files/packs/org/pck-1.zip');
  await mkdir(dirname(pack), { recursive: true });
  await writeFile(pack, 'a pack');
  await writeFile(join(config.data_dir, 'secret-key'), key);
  await writeFile(passphrase, 'correct horse battery staple');
  const here = { DATABASE_URL: database.owner_url, DATA_DIR: config.data_dir, SECRET_KEY: key };
  const sealed = ['--passphrase-file', passphrase];
  const made = await adminOf(t, here).json('backup', 'create', file, ...sealed);
  t.like(made, { files: 1, encrypted: true, keep_apart: [] });
  const witness = join(folder, 'witness');
  await send(1);
  await writeFile(witness, `${made.checkpoint.note}\n${(await publish())?.note}\n`);

  // Another machine: nothing is known there but the file and the passphrase.
  const there = adminOf(t, { DATA_DIR: join(folder, 'elsewhere') });
  const verified = await there.json('backup', 'verify', file, ...sealed, '--witness', witness);
  t.like(verified, { ok: true, sha256: made.sha256, bytes: made.bytes, encrypted: true });
  t.deepEqual(verified.logs, [
    { ...tenant, ok: true, size: 3, checkpoint_size: 3, first_bad_seq: null, witness_statements: 1 },
  ]);
  const unrelated = await there.type('backup', 'verify', file, ...sealed, '--witness', passphrase, '--json');
  t.is(unrelated.code, 1);
  t.like(JSON.parse(unrelated.stdout), {
    ok: false,
    reason: 'The file of --witness has no checkpoint of any log in the backup.',
  });
  t.like(await there.error('backup', 'restore', file, ...sealed, '--data-dir', folder), { exit: 1, code: 'conflict' });
  t.like(await there.error('backup', 'restore', file, ...sealed, '--data-dir', join(folder, 'none/data')), {
    exit: 1,
    code: 'invalid_request',
    message: `${join(folder, 'none')} is no folder that this user may write to (ENOENT).`,
  });
  t.like(await there.json('backup', 'restore', file, ...sealed, '--data-dir', target), {
    ok: true,
    data_dir: target,
    logs_verified: true,
    logs: [{ ...tenant, size: 3 }],
    needs: [],
  });
  t.deepEqual((await readdir(folder)).toSorted(), ['a.backup', 'data', 'passphrase', 'witness']);
  t.is(await readFile(join(target, 'files/packs/org/pck-1.zip'), 'utf8'), 'a pack');

  const restored = readConfig({ DATA_DIR: target, PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'silent' }, {});
  const opened = await openDatabase(restored);
  t.teardown(() => opened.embedded?.close());
  const services = await createServices(restored, opened, 'test');
  t.teardown(services.close);
  const api = await startApi(services);
  t.teardown(api.stop);
  const as = createClient(t, api.address, full.key);
  const next = event();
  t.like((await as.post('/v1/events', next)).body, { status: 'accepted' });
  t.is((await as.get(`/v1/events/${next.id}`)).body.chain_seq, 4);
  t.is((await as.get(`/v1/events/${sent[0]}`)).body.chain_seq, 1);
  // Numbers of agents and payees go on, too.
  const others = event({ agent: 'another', payee: 'domain:another.example.com' });
  t.like((await as.post('/v1/events', others)).body, { status: 'accepted' });
  t.like(await verifyLog(services, tenant), { size: 5, flaw: null });
});
