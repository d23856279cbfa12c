import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { event } from '#test/helpers/make.ts';
import { run } from '#test/helpers/process.ts';
import { world } from '#test/helpers/world.ts';

const EVENTS = 3_000;

test('a sending that is killed twice, with answers on their way, stores every event and none twice', async t => {
  const w = await world(t);
  const folder = await temporaryFolder(t);
  const [key_file, file] = [join(folder, 'key'), join(folder, 'events.ndjson.gz')];
  await writeFile(key_file, w.full.key);
  const texts = Array.from({ length: EVENTS }, (_, index) => JSON.stringify(event({ agent: `agent-${index % 20}` })));
  // Some bring no id: what is made for them must be the same in every run.
  const lines = texts.map((text, index) => (index % 10 === 0 ? text.replace(/"id":"[^"]*",/, '') : text));
  await writeFile(file, gzipSync([...lines.slice(0, 1_000), '{}', ...lines.slice(1_000)].join('\n')));
  const words = (url: string) => ['ingest', file, '--key-file', key_file, '--url', url];

  for (const answered of [2, 4]) {
    const { url, swallowed } = await swallower(t, w.api.address, answered);
    const child = run(t, 'bin/admin.ts', words(url), { DATA_DIR: folder });
    await swallowed;
    child.kill('SIGKILL');
    await child.ended;
  }
  const { accepted, duplicates, rejected } = await adminOf(t, { DATA_DIR: folder }).json(...words(w.api.address));
  t.is(accepted + duplicates, EVENTS);
  t.true(duplicates > 0);
  t.is(rejected, 1);
  const { org_id } = w.tenant;
  const logged = await w.db.one(
    sql.type(z.object({ events: z.number(), payments: z.number() }))`
      select count(*) as events, count(distinct payment_id) as payments from events where org_id = ${org_id}`,
  );
  t.deepEqual(logged, { events: EVENTS, payments: EVENTS });
});

/** Stands before the service: passes on what it is asked, and answers of batches of events so many; the others it keeps to itself. */
async function swallower(t: ExecutionContext, service: string, answered: number) {
  const { promise: swallowed, resolve } = Promise.withResolvers<void>();
  let batches = 0;
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const body = method === 'POST' ? await buffer(request) : null;
    const { authorization = '', 'content-type': type = '' } = headers;
    const reply = await fetch(service + url, {
      method,
      headers: { authorization, ...(body && { 'content-type': type }) },
      body,
    });
    const text = await reply.text();
    if (body && (batches += 1) > answered) return resolve();
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, swallowed };
}
