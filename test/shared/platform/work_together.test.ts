import test from 'ava';
import { workTogether } from '#shared/platform/work_together.ts';

/** Work that ends when it is told to, and what it was given. */
function held(most: number, at_once: number) {
  const groups: { key: string; asked: readonly number[]; end: (answers: readonly (string | Error)[]) => void }[] = [];
  const ask = workTogether<number, string>((key, asked) => new Promise(end => groups.push({ key, asked, end })), {
    most,
    at_once,
  });
  return { ask, groups };
}
const turn = () => new Promise(resolve => setImmediate(resolve));
const told = (asked: readonly number[]) => asked.map(each => `answer ${each}`);

test('what comes while a group is worked on makes the next one, apart for each key', async t => {
  const { ask, groups } = held(3, 1);
  const first = ask('a', 1);
  await turn();
  const rest = [2, 3, 4, 5].map(each => ask('a', each));
  const other = ask('b', 9);
  await turn();
  t.deepEqual(
    groups.map(({ key, asked }) => [key, asked]),
    [
      ['a', [1]],
      ['b', [9]],
    ],
  );
  groups[0]?.end(told([1]));
  groups[1]?.end(told([9]));
  t.deepEqual([await first, await other], ['answer 1', 'answer 9']);
  await turn();
  t.deepEqual(groups[2]?.asked, [2, 3, 4]);
  groups[2]?.end(told([2, 3, 4]));
  await turn();
  groups[3]?.end(told([5]));
  t.deepEqual(await Promise.all(rest), told([2, 3, 4, 5]));
});

test('an error is told to the one it belongs to, and what the work throws to all of the group', async t => {
  const { ask, groups } = held(10, 1);
  const [good, bad] = [ask('a', 1), ask('a', 2)];
  await turn();
  groups[0]?.end(['fine', new Error('not this one')]);
  t.is(await good, 'fine');
  await t.throwsAsync(bad, { message: 'not this one' });
  const failing = workTogether<number, string>(() => Promise.reject(new Error('away')), { most: 10, at_once: 1 });
  await Promise.all([1, 2].map(each => t.throwsAsync(failing('a', each), { message: 'away' })));
});
