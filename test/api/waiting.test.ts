import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { KeyCaller } from '#api/caller.ts';
import { createWaiting } from '#api/waiting.ts';
import { noVersions, type Versions } from '#shared/interface/versions.ts';
import { createLog } from '#shared/platform/log.ts';

const callerOf = (org_id: string, actor_id: string): KeyCaller => ({
  kind: 'key',
  org_id,
  environment: 'sandbox',
  actor_id,
  scopes: [],
  default_source_id: 'src_1',
});

/** Waiting over counters in memory; `asked` notes which organizations each look read. */
function open(t: ExecutionContext) {
  const sizes = new Map<string, number>();
  const asked: string[][] = [];
  const versionsOf = (org_id: string): Versions => ({ ...noVersions, size: sizes.get(org_id) ?? 0 });
  const waiting = createWaiting(
    async org_id => versionsOf(org_id),
    async org_ids => {
      asked.push(org_ids);
      return new Map(org_ids.map(org_id => [org_id, versionsOf(org_id)]));
    },
    createLog('silent', 'test'),
  );
  t.teardown(() => waiting.close());
  const read = (org_id: string, actor_id: string, { gone = new AbortController().signal, seconds = 30 } = {}) =>
    waiting.forNews(callerOf(org_id, actor_id), { seconds, of: ['log'], gone }, async () => ({
      data: sizes.has(org_id) ? ['news'] : [],
    }));
  return { sizes, asked, waiting, read };
}

test('however many readers wait, the database is asked once for all of them', async t => {
  const { sizes, asked, read } = open(t);
  const readers = Array.from({ length: 2_000 }, (_, index) => read(`org_${index % 4}`, `key_${index}`));
  while (asked.length < 2) await turn();
  for (const org_ids of asked) t.deepEqual(org_ids.toSorted(), ['org_0', 'org_1', 'org_2', 'org_3']);
  for (let index = 0; index < 4; index += 1) sizes.set(`org_${index}`, 1);
  for (const { answer } of await Promise.all(readers)) t.deepEqual(answer.data, ['news']);
  const looks = asked.length;
  t.true(looks <= 10, `${looks} looks`);
});

test('who is gone waits no more, and makes room for another of the same credential', async t => {
  const { sizes, read } = open(t);
  const gone = new AbortController();
  const readers = Array.from({ length: 50 }, () => read('org_1', 'key_1', { gone: gone.signal }));
  await t.throwsAsync(read('org_1', 'key_1'), { message: /At most 50 requests/ });
  const other = read('org_1', 'key_2');
  gone.abort();
  for (const { answer } of await Promise.all(readers)) t.deepEqual(answer.data, []);
  const again = read('org_1', 'key_1');
  sizes.set('org_1', 1);
  t.deepEqual((await again).answer.data, ['news']);
  t.deepEqual((await other).answer.data, ['news']);
});

test('what arrives while it is looked for is not waited for', async t => {
  const { sizes, waiting } = open(t);
  let looks = 0;
  const { answer } = await waiting.forNews(
    callerOf('org_1', 'key_1'),
    { seconds: 30, of: ['log'], gone: new AbortController().signal },
    async () => {
      looks += 1;
      // The event is stored after this look began, and before it is waited for.
      if (looks === 1) {
        sizes.set('org_1', 1);
        return { data: [] };
      }
      return { data: ['news'] };
    },
  );
  t.deepEqual(answer.data, ['news']);
  t.is(looks, 2);
});

test('a page without rows that has a next one is answered at once', async t => {
  const { waiting } = open(t);
  const page = { data: [], next_cursor: 'cursor' };
  const patience = { seconds: 30, of: ['log' as const], gone: new AbortController().signal };
  const { answer, waited } = await waiting.forNews(callerOf('org_1', 'key_1'), patience, async () => page);
  t.is(answer, page);
  t.is(waited, 0);
});
