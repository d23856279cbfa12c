import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { freePort, listening } from '#test/helpers/listening.ts';
import { event } from '#test/helpers/make.ts';
import { type Child, run } from '#test/helpers/process.ts';
import { world } from '#test/helpers/world.ts';

const EVENTS = 3_000;

/** A file of events, some without an id, and one that is none, and the command that sends it. */
async function desk(t: ExecutionContext) {
  const w = await world(t);
  const folder = await temporaryFolder(t);
  const [key_file, file] = [join(folder, 'key'), join(folder, 'events.ndjson.gz')];
  await writeFile(key_file, w.full.key);
  const texts = Array.from({ length: EVENTS }, (_, index) => JSON.stringify(event({ agent: `agent-${index % 20}` })));
  // What is made for those that bring no id must be the same in every run.
  const lines = texts.map((text, index) => (index % 10 === 0 ? text.replace(/"id":"[^"]*",/, '') : text));
  await writeFile(file, gzipSync([...lines.slice(0, 1_000), '{}', ...lines.slice(1_000)].join('\n')));
  const words = (url: string) => ['ingest', file, '--key-file', key_file, '--url', url];
  return {
    start: (url: string) => run(t, 'bin/admin.ts', words(url), { DATA_DIR: folder }),
    finish: () => adminOf(t, { DATA_DIR: folder }).json(...words(w.api.address)),
    address: w.api.address,
    logged: () =>
      w.db.one(
        sql.type(z.object({ events: z.number(), payments: z.number() }))`
          select count(*) as events, count(distinct payment_id) as payments from events where org_id = ${w.tenant.org_id}`,
      ),
  };
}

test('a sending that is killed twice, with answers on their way, stores every event and none twice', async t => {
  const { start, finish, address, logged } = await desk(t);
  for (const answered of [2, 4]) {
    const { promise: swallowed, resolve } = Promise.withResolvers<void>();
    // What comes after so many batches reaches the service, and its answer nobody.
    const url = await proxy(t, address, batch => batch <= answered || resolve());
    const child = start(url);
    await swallowed;
    child.kill('SIGKILL');
    await child.ended;
  }
  const { accepted, duplicates, rejected } = await finish();
  t.is(accepted + duplicates, EVENTS);
  t.true(duplicates > 0);
  t.is(rejected, 1);
  t.deepEqual(await logged(), { events: EVENTS, payments: EVENTS });
});

test('a sending that is stopped hears the answers to what is under way, and sends nothing again', async t => {
  const { start, finish, address, logged } = await desk(t);
  const sending: { child?: Child } = {};
  const url = await proxy(t, address, batch => {
    if (batch === 3) sending.child?.kill('SIGINT');
    return true;
  });
  sending.child = start(url);
  const { code, stderr } = await sending.child.ended;
  t.is(code, 1);
  t.regex(stderr, /Stopped\. The same command goes on from here, and stores nothing twice\./);
  t.true((await logged()).events > 0);
  t.like(await finish(), { accepted: EVENTS, duplicates: 0, rejected: 1 });
  t.deepEqual(await logged(), { events: EVENTS, payments: EVENTS });
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`a sending that waits for a service that is away ends at once on ${signal}`, async t => {
    const { start } = await desk(t);
    const child = start(`http://127.0.0.1:${await freePort()}`);
    await child.says(/waiting for/);
    const since = performance.now();
    child.kill(signal);
    const { code, stderr } = await child.ended;
    t.is(code, 1);
    t.regex(stderr, /Stopped\. The same command goes on from here/);
    t.true(performance.now() - since < 4_000);
  });

/** Stands before the service and passes on what it is asked; of each batch of events, by its number, `isHeard` says whether it is answered. */
async function proxy(
  t: ExecutionContext,
  service: string,
  isHeard: (batch: number) => boolean | void,
): Promise<string> {
  let batches = 0;
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const body = method === 'POST' ? await buffer(request) : null;
    const { authorization = '', 'content-type': type = '' } = headers;
    const sent = { method, headers: { authorization, ...(body && { 'content-type': type }) }, body };
    const reply = await fetch(service + url, sent);
    const text = await reply.text();
    if (body && !isHeard((batches += 1))) return;
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text);
  });
  return `http://127.0.0.1:${await listening(t, server)}`;
}
