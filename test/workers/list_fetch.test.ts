import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { listsOfEverybody } from '#shared/screening/store/screening_lists.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { endOf } from '#test/helpers/job.ts';
import { listening } from '#test/helpers/listening.ts';
import { world } from '#test/helpers/world.ts';
import { createHandler as createListFetchHandler } from '#workers/handlers/list_fetch.ts';

/** A publisher, and a service that is told to fetch from it every six hours; `due` is what the schedule does. */
async function publisher(t: ExecutionContext) {
  const published = { content: 'action,type,name\ndeny,person,Zorvan Quillfeather\n', asked: 0, status: 200 };
  const server = createServer((request, response) => {
    published.asked += 1;
    const etag = `"${published.content.length}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(published.status, { etag }).end(published.content);
  });
  const url = `http://127.0.0.1:${await listening(t, server)}/list.csv`;
  let time = Date.parse('2026-11-20T12:00:00Z');
  const SCREENING_LISTS = JSON.stringify({ zorvan: { format: 'csv', urls: [url], every: '6h', allow_private: true } });
  const w = await world(t, { settings: { SCREENING_LISTS }, now: () => time });
  const fetch = createListFetchHandler(w.services);
  return {
    ...w,
    published,
    /** Time passes; what has become due is fetched. Answers with how many lists that were. */
    async pass(milliseconds: number) {
      time += milliseconds;
      const due = await reconcileKind('list_fetch', w.services);
      if (due > 0) await endOf(fetch({ name: 'zorvan' }));
      return due;
    },
    list: async () => (await listsOfEverybody(w.db))[0],
  };
}

test('a configured list is fetched at once and then every so often; unchanged, it is fresh all the same', async t => {
  const { pass, published, list, services, config } = await publisher(t);
  t.is(await pass(0), 1);
  t.like(await list(), { name: 'zorvan', version: 1, entries: 1 });
  t.is(await pass(5 * HOUR), 0);
  t.is(await pass(2 * HOUR), 1);
  t.is(published.asked, 2);
  t.like(await list(), { version: 1, loaded_at: new Date(services.now()).toISOString() });
  published.content += 'deny,person,Ismeralda Vantbrook\n';
  await pass(7 * HOUR);
  t.like(await list(), { version: 2, entries: 2 });
  t.deepEqual(await readdir(join(config.data_dir, 'lists')), [], 'no files are left behind');
});

test('a publisher that is away, or sends something damaged, changes nothing, and is asked again later and later', async t => {
  const { pass, published, list } = await publisher(t);
  await pass(0);
  published.status = 500;
  published.content = 'action,type,name\n';
  t.is(await pass(7 * HOUR), 1);
  t.is(await pass(50_000), 0);
  t.is(await pass(MINUTE), 1);
  t.is(await pass(MINUTE), 0);
  published.status = 200;
  t.is(await pass(2 * MINUTE), 1, 'now it is there, and empty');
  t.like(await list(), { version: 1, entries: 1 });
  t.is(published.asked, 4);
  published.content = 'action,type,name\ndeny,person,Zorvan Quillfeather\ndeny,person,Oberyl Tanzikov\n';
  await pass(DAY);
  t.like(await list(), { version: 2, entries: 2 });
});

test('a job for a list that is not configured here is left to others', async t => {
  const { services, list } = await publisher(t);
  await createListFetchHandler(services)({ name: 'another' });
  t.is(await list(), undefined);
});
