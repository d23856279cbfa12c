import type { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { createLog } from '#shared/platform/log.ts';
import { look } from '#shared/screening/search/look.ts';
import type { SearchedList } from '#shared/screening/search/search_thread.ts';
import { createSearch } from '#shared/screening/search/search.ts';
import { nobody, queryOf } from '#shared/screening/store/screening_query.ts';
import { buildListIndex, entry } from '#test/helpers/lists.ts';

const listOf = (names: readonly string[], version = 1, org_id = ''): SearchedList => ({
  org_id,
  name: 'list',
  version,
  index: buildListIndex(names.map((name, index) => entry(String(index), name))),
});

const sought = (name: string) => ({ query: queryOf({ ...nobody, name }), threshold: 0.85, limit: 10 });

/** A search, and the threads that are started while the test runs. Tests that look at threads run one after the other. */
function searching(t: ExecutionContext, most = 1) {
  const threads: Worker[] = [];
  const note = (thread: Worker) => void threads.push(thread);
  process.on('worker', note);
  const search = createSearch({ log: createLog('silent', 'test'), most });
  t.teardown(() => {
    process.off('worker', note);
    return search.close();
  });
  const find = async (lists: readonly SearchedList[], names: readonly string[]) =>
    (await search.find(lists, names.map(sought))).map(each => ('failed' in each ? null : each.matches.length));
  return { search, find, threads };
}

test.serial('threads find what is asked for, in the order of the questions', async t => {
  const { find, threads, search } = searching(t, 2);
  t.is(threads.length, 0, 'none runs before somebody asks');
  const names = Array.from({ length: 100 }, (_, index) => (index % 10 === 0 ? 'Halvorsen Shipping' : `Shop ${index}`));
  const list = listOf(['Halvorsen Shipping', 'Quarzwerk Bergstrom']);
  t.deepEqual(
    await find([list], names),
    names.map(name => (name.startsWith('Halvorsen') ? 1 : 0)),
  );
  t.deepEqual(await search.find([list], []), []);
  t.true(threads.length <= 2);
});

test.serial('a question that the matcher fails at fails alone', async t => {
  const { search } = searching(t);
  const broken = { ...sought('x'), query: { ...sought('x').query, aliases: null as never } };
  const found = await search.find(
    [listOf(['Halvorsen Shipping'])],
    [sought('Halvorsen Shipping'), broken, sought('Shop')],
  );
  t.deepEqual(
    found.map(each => ('failed' in each ? 'failed' : each.matches.length)),
    [1, 'failed', 0],
  );
});

test.serial('a new version of a list takes the place of the one before in a thread that runs', async t => {
  const { find, threads } = searching(t);
  const [before, after] = [listOf(['Halvorsen Shipping']), listOf(['Tidewater Brokers'], 2)];
  const names = ['Halvorsen Shipping', 'Tidewater Brokers'];
  t.deepEqual(await find([before], names), [1, 0]);
  t.deepEqual(await find([after], names), [0, 1]);
  t.deepEqual(await find([before], names), [1, 0], 'who still has the one before is answered by it');
  t.is(threads.length, 1);
});

test.serial('a thread that is killed is replaced, and nobody who waits is left without an answer', async t => {
  const { find, threads } = searching(t);
  const list = listOf(['Halvorsen Shipping']);
  await find([list], ['Shop']);
  const names = Array.from({ length: 200 }, () => 'Halvorsen Shipping');
  const found = find([list], names);
  await threads[0]?.terminate();
  t.deepEqual(
    await found,
    names.map(() => 1),
  );
  t.is(threads.length, 2);
});

test.serial('a question that ends every thread fails alone: who waits behind it or beside it is answered', async t => {
  const { find, threads } = searching(t);
  const poison = 'Poison';
  const fragile = (thread: Worker) => {
    const post = thread.postMessage.bind(thread);
    thread.postMessage = (task: { sought: readonly ReturnType<typeof sought>[] }) => {
      post(task);
      if (task.sought.some(({ query }) => query.name === poison)) void thread.terminate();
    };
  };
  process.on('worker', fragile);
  t.teardown(() => void process.off('worker', fragile));
  const list = listOf(['Halvorsen Shipping']);
  const asked = [
    find([list], ['Shop', poison, 'Halvorsen Shipping']),
    find([list], ['Halvorsen Shipping']),
    find([list], ['Shop', 'Halvorsen Shipping']),
  ];
  t.deepEqual(await Promise.all(asked), [[0, null, 1], [1], [0, 1]]);
  t.is(threads.length, 3, 'it ended one with others, and one alone');
});

test.serial('a list that makes room for another of the same question is searched all the same', async t => {
  const { find } = searching(t);
  // Two of them are more entries than a thread keeps of organizations' own.
  const huge = (name: string, payee: string) => {
    const list = listOf([payee], 1, 'org_1');
    return { ...list, name, index: { ...list.index, entry_count: 500_000 } };
  };
  const [one, two] = [huge('one', 'Halvorsen Shipping'), huge('two', 'Tidewater Brokers')];
  const names = ['Halvorsen Shipping', 'Tidewater Brokers'];
  t.deepEqual(await find([one], names), [1, 0]);
  t.deepEqual(await find([one, two], names), [1, 1]);
  t.deepEqual(await find([two], names), [0, 1]);
  t.deepEqual(await find([two, one], names), [1, 1]);
});

test('a question that takes too long fails, and the ones behind it give way to others', t => {
  const list = listOf(['Halvorsen Shipping']);
  const questions = [sought('Halvorsen Shipping'), sought('Shop')];
  const [failed, ...others] = look([list], questions, { longest: 0, turn: 0 });
  t.like(failed, { too_much: true });
  t.deepEqual(others, [], 'each gets its turn');
  t.is(look([list], questions).length, 2);
});

test.serial('what ends every thread is answered as unavailable, and the next question is not', async t => {
  const { find, threads } = searching(t);
  const list = listOf(['Halvorsen Shipping']);
  const kill = (thread: Worker) => void thread.terminate();
  process.on('worker', kill);
  const error = await t.throwsAsync(find([list], ['Halvorsen Shipping']));
  process.off('worker', kill);
  t.like(error, { code: 'unavailable', status: 503 });
  t.true(threads.length >= 1);
  t.deepEqual(await find([list], ['Halvorsen Shipping']), [1]);
});

test.serial('closing ends the threads and answers who waits', async t => {
  const { search, find, threads } = searching(t);
  const list = listOf(['Halvorsen Shipping']);
  await find([list], ['Shop']);
  const waiting = t.throwsAsync(
    find(
      [list],
      Array.from({ length: 500 }, () => 'Halvorsen Shipping'),
    ),
  );
  await search.close();
  t.like(await waiting, { code: 'unavailable' });
  t.like(await t.throwsAsync(find([list], ['Shop'])), { code: 'unavailable' });
  t.is(threads[0]?.threadId, -1, 'it has ended');
});
