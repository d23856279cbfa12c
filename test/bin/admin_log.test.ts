import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { latestCheckpoint } from '#shared/ledger/checkpoints.ts';
import { publicKeys } from '#shared/ledger/signing_keys.ts';
import { adminOf, adminProcessOf, settingsOf } from '#test/helpers/admin.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { signedLog } from '#test/helpers/signed_log.ts';

/** The tool beside a service with a log of four events; settings beside those it needs. */
async function operator(t: ExecutionContext) {
  const here = await signedLog(t);
  await here.send(4);
  const settings = settingsOf(here);
  return {
    ...here,
    admin: adminOf(t, settings),
    adminProcess: adminProcessOf(t, settings),
    adminWith: (more: Record<string, string>) => adminOf(t, { ...settings, ...more }),
    witness: join(await temporaryFolder(t), 'checkpoints'),
  };
}

const verify = ['log', 'verify', '--org', 'Acme'];

test('log verify exits 0 for a sound log, and 1 for one that is not, with the same document', async t => {
  const { admin, adminProcess, publish, asOwner } = await operator(t);
  await publish();
  t.deepEqual(await admin.json(...verify), { ok: true, size: 4, archived: 0, erased: 0, first_bad_seq: null });
  await asOwner(`update events set rail = 'sepa' where chain_seq = 2`);
  const { code, stdout, stderr } = await adminProcess.type(...verify, '--json');
  t.deepEqual([code, stderr], [1, '']);
  t.deepEqual(JSON.parse(stdout), {
    ok: false,
    size: 4,
    archived: 0,
    erased: 0,
    first_bad_seq: 2,
    reason: 'Event 2 is not as it was stored: its column rail is not what its input says.',
  });
  const shown = await admin.type(...verify);
  t.is(shown.code, 1);
  t.regex(shown.stdout, /^ok +false$/m);
});

test('log verify holds the log against what a witness was told, by option or by setting', async t => {
  const { admin, adminWith, publish, send, asOwner, witness } = await operator(t);
  await writeFile(witness, `${(await publish())?.note}\n`);
  await send(2);
  await writeFile(witness, `${(await publish())?.note}\n`, { flag: 'a' });
  const told = await admin.json(...verify, '--witness', witness);
  t.deepEqual(told, { ok: true, size: 6, archived: 0, erased: 0, first_bad_seq: null, witness_statements: 2 });
  await asOwner(`
    delete from events where chain_seq > 4; delete from log_checkpoints where size > 4; update event_logs set size = 4;
    update log_trees set size = 4, checkpoint_size = 4, edge = substr(edge, 1, 128)`);
  t.true((await admin.json(...verify)).ok, 'the log alone cannot know');
  for (const [tool, more] of [
    [admin, ['--witness', witness]],
    [adminWith({ CHECKPOINT_WITNESS: witness }), []],
  ] as const) {
    const { code, stdout } = await tool.type(...verify, ...more, '--json');
    t.is(code, 1);
    t.like(JSON.parse(stdout), { ok: false, size: 4, first_bad_seq: 5 });
  }
  t.like(await admin.error(...verify, '--witness', `${witness}.missing`), { exit: 1, code: 'invalid_request' });
  t.like(await admin.error('log', 'verify', '--org', 'Nobody'), { exit: 1, code: 'not_found' });
});

test('log verify fails where the file of --witness has no checkpoint of this log', async t => {
  const { admin, adminWith, publish, witness } = await operator(t);
  const note = (await publish())?.note ?? '';
  await writeFile(witness, `${note.replace('/org_', '/org_0')}\nan unrelated text\n`);
  for (const file of [witness, '/dev/null']) {
    const { code, stdout } = await admin.type(...verify, '--witness', file, '--json');
    t.is(code, 1);
    t.like(JSON.parse(stdout), { ok: false, first_bad_seq: null, witness_statements: 0 });
    t.regex(JSON.parse(stdout).reason, /^The file of --witness has no checkpoint of this log/);
  }
  const not_told_yet = await adminWith({ CHECKPOINT_WITNESS: witness }).json(...verify);
  t.like(not_told_yet, { ok: true, witness_statements: 0 });
});

test('log checkpoint signs a log as it stands, and says so where it must not', async t => {
  const { admin, db, tenant, asOwner, send } = await operator(t);
  const made = await admin.json('log', 'checkpoint', '--org', 'Acme');
  t.like(made, { size: 4 });
  t.deepEqual(await latestCheckpoint(db, tenant), made);
  await send(1);
  await asOwner('update log_checkpoints set root_hash = sha256(root_hash)');
  t.like(await admin.error('log', 'checkpoint', '--org', 'Acme'), { exit: 1, code: 'conflict' });
});

test('log rotate-key makes a new key current, unless the operator gives the key', async t => {
  const { admin, adminWith, services, publish } = await operator(t);
  await publish();
  const [before] = (await publicKeys(services)).keys;
  const made = await admin.json('log', 'rotate-key');
  t.deepEqual((await publicKeys(services)).keys, [made, before]);
  const given = adminWith({ LOG_SIGNING_KEY: Buffer.alloc(32, 1).toString('base64') });
  t.like(await given.error('log', 'rotate-key'), { exit: 1, code: 'conflict' });
  t.is((await publicKeys(services)).keys.length, 2);
});
