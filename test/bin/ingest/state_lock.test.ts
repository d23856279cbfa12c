import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { access, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { lockState } from '#bin/admin/ingest/state_lock.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { until } from '#test/helpers/until.ts';
import { eventLines, ingestDesk } from './ingest_desk.ts';

/** A state whose lock a run left that was killed; `facts` say what else was so. */
async function abandoned(t: ExecutionContext, facts: object) {
  const state = join(await temporaryFolder(t), 'state');
  const lock = `${state}.lock`;
  const before = await lockState(state);
  const holder = JSON.parse(await readFile(lock, 'utf8'));
  await before.release();
  await writeFile(lock, JSON.stringify({ ...holder, run: 'killed', ...facts }));
  let pauses = 0;
  const said: string[] = [];
  const take = (meanwhile = async () => {}) =>
    lockState(state, {
      onWait: message => said.push(message),
      async pause() {
        pauses += 1;
        await meanwhile();
      },
    });
  return { state, lock, take, said, pauses: () => pauses };
}

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a lock whose process number another process has by now is taken over at once', async t => {
  const { take, state, lock, pauses } = await abandoned(t, { started: '1' });
  const taken = await take();
  t.is(pauses(), 0);
  await t.throwsAsync(lockState(state), {
    message: /^Another run uses the state .*: process \d+ on .*Wait until it ends/,
  });
  await taken.check();
  await taken.release();
  await t.throwsAsync(access(lock), { code: 'ENOENT' });
});

onLinux('a lock whose process was killed, and whose parent has not noticed, is taken over at once', async t => {
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => parent.kill('SIGKILL'));
  const [output] = await once(parent.stdout, 'data');
  const process_id = Number(String(output).trim());
  const fields = async () => (await readFile(`/proc/${process_id}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  // As a sleep, the parent never asks what became of its child.
  await until(async () => (await readFile(`/proc/${parent.pid}/comm`, 'utf8')) === 'sleep\n');
  process.kill(process_id, 'SIGKILL');
  await until(async () => (await fields())[0] === 'Z');
  const { take, pauses } = await abandoned(t, { process_id, started: (await fields())[19] });
  await (await take()).release();
  t.is(pauses(), 0);
});

test('a lock of another machine is taken over once nobody has touched it for a while, which is said', async t => {
  for (const facts of [
    { host: 'other', machine: 'other' },
    { host: 'other', machine: null, started: null },
  ]) {
    const { take, said, pauses } = await abandoned(t, facts);
    await (await take()).release();
    t.is(pauses(), 5);
    t.regex(said.join(), /last used by process \d+ on other\. Watching for 5 s whether it still runs\.$/);
  }
  const empty = await abandoned(t, {});
  await writeFile(empty.lock, '');
  await (await empty.take()).release();
  t.is(empty.pauses(), 5);
});

test('a lock that is touched while it is watched is that of a run, and one that goes away is free', async t => {
  const { take, state, lock } = await abandoned(t, {});
  await rm(lock);
  const running = await lockState(state, { beat: 1 });
  const holder = JSON.parse(await readFile(lock, 'utf8'));
  await writeFile(lock, JSON.stringify({ ...holder, host: 'other', machine: 'other' }));
  const touched = async () => {
    const { mtimeMs } = await stat(lock);
    await until(async () => (await stat(lock)).mtimeMs !== mtimeMs);
  };
  await t.throwsAsync(take(touched), { message: /^Another run uses the state .* on other\./ });
  await running.check();
  await (await take(() => running.release())).release();
});

test('of two runs that take over a lock at the same moment, one is stopped', async t => {
  for (const facts of [{ started: '1' }, { host: 'other', machine: 'other' }]) {
    const { take } = await abandoned(t, facts);
    const taken = await Promise.allSettled([take(), take(), take()]);
    const locks = taken.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []));
    const checks = await Promise.allSettled(locks.map(lock => lock.check()));
    t.is(checks.filter(({ status }) => status === 'fulfilled').length, 1);
    await Promise.all(locks.map(lock => lock.release()));
  }
});

test('a sending is refused while another run uses its state', async t => {
  const { put, path, error, ingest } = await ingestDesk(t);
  const file = await put('a.ndjson', eventLines(3));
  const running = await lockState(path('a.ndjson.ingest-state.json'));
  t.like(await error(file), { exit: 1, code: 'conflict' });
  await running.release();
  t.like(await ingest(file), { accepted: 3 });
  await t.throwsAsync(access(path('a.ndjson.ingest-state.json.lock')), { code: 'ENOENT' });
});

test('a sending whose state another one has taken over ends, and writes nothing any more', async t => {
  const desk = await ingestDesk(t, { instead: () => (takeOver(), null) });
  const other = JSON.stringify({ run: 'r', host: 'other', process_id: 7, machine: null, started: null });
  const takeOver = () => void writeFileSync(desk.path('a.ndjson.ingest-state.json.lock'), other);
  const file = await desk.put('a.ndjson', `{"id":""}\n${eventLines(3)}`);
  const { code, message } = await desk.error(file);
  t.is(code, 'conflict');
  t.regex(message, /process 7 on other/);
  t.is(JSON.parse(await readFile(desk.path('a.ndjson.ingest-state.json'), 'utf8')).events, 0);
  await t.throwsAsync(access(desk.path('a.ndjson.ingest-rejects.ndjson')), { code: 'ENOENT' });
  t.is(await readFile(desk.path('a.ndjson.ingest-state.json.lock'), 'utf8'), other);
});
