import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '#shared/settings/config.ts';
import { createWitness } from '#shared/ledger/witness.ts';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { signedLog } from '#test/helpers/signed_log.ts';

const running = new AbortController().signal;

/** A log with a witness in this setting; `tell` does what the schedule does each second. */
async function witnessed(t: ExecutionContext, setting: string) {
  const here = await signedLog(t, { CHECKPOINT_WITNESS: setting });
  const { services, send, publish, tenant } = here;
  const sign = async (events: number) => {
    await send(events);
    return (await publish())?.note ?? '';
  };
  return {
    ...here,
    sign,
    tell: (now = services.now) => createWitness({ ...services, now }).tell(running),
    behind: async () => (await services.metrics.witnessBehind.get()).values[0]?.value ?? 0,
    verify: async (witness: string) => (await verifyLog(services, tenant, { witness })).flaw,
  };
}

test('a file has every checkpoint added to it, in order, each once', async t => {
  const path = join(await temporaryFolder(t), 'checkpoints');
  const { sign, tell, verify } = await witnessed(t, path);
  const notes = [await sign(2), await sign(1)];
  await tell();
  await tell();
  t.is(await readFile(path, 'utf8'), notes.map(note => `${note}\n`).join(''));
  notes.push(await sign(1));
  await Promise.all([tell(), tell()]);
  t.is(await readFile(path, 'utf8'), notes.map(note => `${note}\n`).join(''));
  t.is(await verify(path), null);
});

test('a note that a killed process wrote in part is passed over, and written again in whole', async t => {
  const path = join(await temporaryFolder(t), 'checkpoints');
  const { sign, tell, verify } = await witnessed(t, `file://${path}`);
  const note = await sign(2);
  await writeFile(path, note.slice(0, 60));
  await tell();
  t.is(await readFile(path, 'utf8'), `${note.slice(0, 60)}\n\n${note}\n`);
  t.is(await verify(path), null);
});

test('a log that was rolled back or written anew along with its checkpoints contradicts the witness', async t => {
  const path = join(await temporaryFolder(t), 'checkpoints');
  const { sign, tell, verify, asOwner, send, publish } = await witnessed(t, path);
  await sign(4);
  await sign(3);
  await tell();
  await appendFile(path, 'somebody else’s log\n12\nAAAA\n\n— x y\n\nnot a note\n');
  t.is(await verify(path), null);
  await asOwner(`
    delete from events where chain_seq > 4; delete from log_checkpoints; delete from log_trees; delete from evidence;
    update event_logs set size = 4`);
  await publish();
  t.like(await verify(path), {
    seq: 5,
    reason: 'The witness was told of another log of 7 events: this one was rolled back or written anew.',
  });
  await send(3);
  await publish();
  t.like(await verify(path), { seq: 5 }, 'it has grown as long again, with other events');
});

test('a file that cannot be written keeps checkpoints waiting, and signing does not wait for it', async t => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'missing', 'checkpoints');
  const { sign, tell, behind, services } = await witnessed(t, path);
  const notes = [await sign(1), await sign(1)];
  await tell();
  await tell(() => services.now() + 5_000);
  t.true((await behind()) >= 5, `${await behind()}`);
  await mkdir(join(folder, 'missing'));
  await tell();
  await t.throwsAsync(readFile(path), undefined, 'it is tried again after ten seconds, not at once');
  await tell(() => services.now() + 11_000);
  t.is(await readFile(path, 'utf8'), notes.map(note => `${note}\n`).join(''));
  await tell();
  t.is(await behind(), 0);
});

test('an address is posted each note as text, and again until it takes it', async t => {
  const statuses = [200, 500, 302];
  const { received, port } = await receiver(t, (_request, index) => statuses[index] ?? 204);
  const { sign, tell, services } = await witnessed(t, `http://me:p%40ss@127.0.0.1:${port}/add?log=1`);
  const notes = [await sign(1), await sign(1)];
  for (const seconds of [0, 11, 22, 33]) await tell(() => services.now() + seconds * 1_000);
  t.deepEqual(
    received.map(({ body }) => notes.indexOf(body.toString())),
    [0, 1, 1, 1],
    'a redirect is no answer, and is not followed',
  );
  const [first] = received;
  t.is(first?.url, '/add?log=1');
  t.is(first?.headers['content-type'], 'text/plain; charset=utf-8');
  t.is(first?.headers['authorization'], `Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});

test('a witness that does not answer does not hold up the stop of the process', async t => {
  const stopping = new AbortController();
  const { url } = await receiver(t, () => () => stopping.abort());
  const { sign, services } = await witnessed(t, url);
  await sign(1);
  await createWitness(services).tell(stopping.signal);
  t.true(stopping.signal.aborted);
});

test('a CHECKPOINT_WITNESS that is neither a file nor an address is refused without being quoted', t => {
  const read = (setting: string) =>
    readConfig({ CHECKPOINT_WITNESS: setting, SECRET_KEY: Buffer.alloc(32).toString('base64') });
  t.deepEqual(read('file:///var/log/checkpoints').checkpoint_witness, { file: '/var/log/checkpoints' });
  t.deepEqual(read('https://witness.example.com/a?b=c').checkpoint_witness, {
    url: 'https://witness.example.com/a?b=c',
  });
  t.deepEqual(read('/var/log/checkpoints').checkpoint_witness, { file: '/var/log/checkpoints' });
  for (const setting of ['ftp://user:secret@example.com/', 's3://secret', 'file://host/secret', 'https:'])
    t.false(
      t.throws(() => read(setting), { message: /CHECKPOINT_WITNESS: It must be/ }).message.includes('secret'),
      setting,
    );
});

test('a log of which nothing is left, or that goes on under another name, contradicts the witness', async t => {
  const path = join(await temporaryFolder(t), 'checkpoints');
  const { sign, tell, verify, asOwner, tenant } = await witnessed(t, path);
  await sign(4);
  await tell();
  await asOwner(`update log_trees set origin = 'elsewhere/${tenant.org_id}/sandbox'`);
  await asOwner(`delete from log_checkpoints; update log_trees set checkpoint_size = 0`);
  t.is((await verify(path))?.seq, 1);
  for (const table of ['events', 'evidence', 'event_logs', 'log_trees', 'log_tiles'])
    await asOwner(`delete from ${table}`);
  t.is((await verify(path))?.seq, 1);
});
