import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { signedHeaders } from '#shared/webhooks/sign.ts';
import { activateSecret, rotateSecret } from '#shared/webhooks/webhook_endpoints.ts';
import { replayDelivery } from '#shared/webhooks/webhook_replay.ts';
import { MINUTE } from '#shared/values/time.ts';
import { newId } from '#shared/interface/ids.ts';
import { freePort } from '#test/helpers/listening.ts';
import { webhookWorld } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';

/** How each receiver is started; `needs` is what has to be on the PATH. */
const receivers = {
  TypeScript: { needs: null, command: () => [process.execPath, 'docs/receivers/receiver.ts'] },
  Python: { needs: ['python3', '--version'], command: () => ['python3', 'docs/receivers/receiver.py'] },
  Go: { needs: ['go', 'version'], command: buildGo },
} as const;

const secrets = { generated: undefined, chosen: 'a secret of the operator with é, 32 or more' } as const;

for (const [language, { needs, command }] of Object.entries(receivers))
  test(`the receiver in ${language} takes what is genuine, once, through a rotation, and nothing else`, async t => {
    if (needs && spawnSync(needs[0], [needs[1]]).status !== 0) {
      t.log(`skipped: there is no ${needs[0]} on the PATH`);
      return t.pass();
    }
    for (const secret of Object.values(secrets)) await tryOut(t, await command(t), secret);
    return t.pass();
  });

for (const [language, { needs, command }] of Object.entries(receivers))
  test(`the receiver in ${language} refuses what is not genuine where its secret is no base64`, async t => {
    if (needs && spawnSync(needs[0], [needs[1]]).status !== 0) {
      t.log(`skipped: there is no ${needs[0]} on the PATH`);
      return t.pass();
    }
    const port = await freePort();
    await start(t, await command(t), 'whsec_A', port);
    const url = `http://127.0.0.1:${port}/hooks`;
    for (let times = 0; times < 2; times += 1)
      t.is(await post(url, 'another secret, of 32 characters or more', {}), 401);
    return t.pass();
  });

async function tryOut(t: ExecutionContext, command: readonly string[], chosen: string | undefined) {
  const { config, db, deliver, endpoint, now, queue, states, tenant, work } = await webhookWorld(t);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/hooks`;
  const { id, secret } = await endpoint(url, chosen);
  work();
  let delivered = 0;
  const ended = async (state: string, count: number) => until(async () => (await states())[state] === count);
  const told = async () => {
    const [job] = await deliver();
    await ended('delivered', (delivered += 1));
    return job?.delivery_id ?? '';
  };

  const old = await start(t, command, secret, port);
  const first = await told();
  await until(() => old.said().includes(`received alert.created ${first}`));
  await queue.add('webhook', [await replayDelivery(db, tenant, first, now())]);
  await until(() => old.said().includes(`repeated ${first}`));
  await ended('delivered', delivered);
  t.is(await post(url, secret, {}), 204);
  t.is(await post(url, secret, { time: now() - 4 * MINUTE }), 204);
  for (const time of [now() - 6 * MINUTE, now() + 6 * MINUTE]) t.is(await post(url, secret, { time }), 401);
  t.is(await post(url, secret, { sent: '{"type":"pack.ready","data":{}} ' }), 401);
  t.is(await post(url, 'another secret, of 32 characters or more', {}), 401);
  t.is((await fetch(url, { method: 'POST', body: '{}' })).status, 401);
  for (const bad of ['x', '', '1e9'])
    t.is((await fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-timestamp': bad } })).status, 401);

  const fresh = await rotateSecret(db, config, tenant, { id }, now());
  await told();
  await old.stop();
  const renewed = await start(t, command, fresh.secret, port);
  const during = await told();
  await until(() => renewed.said().includes(`received alert.created ${during}`));
  await activateSecret(db, tenant, id, now());
  await told();
  await renewed.stop();
  const stale = await start(t, command, secret, port);
  await deliver();
  await ended('refused', 1);
  t.false(stale.said().includes('received'));
  await stale.stop();
}

const BODY = '{"type":"pack.ready","data":{}}';

/** The status a receiver answers to a request signed here; `sent` is the body that comes instead of the signed one. */
async function post(url: string, text: string, { time = Date.now(), sent = BODY }: { time?: number; sent?: string }) {
  const secret = { text, generated: text.startsWith('whsec_') };
  const signing = { delivery_id: newId('whd'), body: Buffer.from(BODY), secrets: [secret] as const, now: time };
  const { status } = await fetch(url, { method: 'POST', headers: signedHeaders(signing), body: sent });
  return status;
}

/** Starts a receiver and waits until it listens. It ends with the test. */
async function start(t: ExecutionContext, [program = '', ...words]: readonly string[], SECRET: string, port: number) {
  const child: ChildProcess = spawn(program, words, { env: { ...process.env, SECRET, PORT: String(port) } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const gone = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  t.teardown(stop);
  await until(() => said.includes('listening'));
  return { said: () => said, stop };
}

async function buildGo(t: ExecutionContext): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-go-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, 'receiver');
  const built = spawnSync('go', ['build', '-o', program, 'docs/receivers/receiver.go'], { encoding: 'utf8' });
  t.is(built.status, 0, built.stderr);
  return [program];
}
