import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { readTogether } from '#shared/platform/read_together.ts';

test('those who ask in one moment are read in one query, each key once; what is not found is undefined', async t => {
  const queries: string[][] = [];
  const ask = readTogether(async keys => {
    queries.push(keys);
    return new Map(keys.filter(key => key !== 'none').map(key => [key, key.length]));
  });
  t.deepEqual(await Promise.all(['a', 'bb', 'a', 'none'].map(ask)), [1, 2, 1, undefined]);
  t.deepEqual(queries, [['a', 'bb', 'none']]);
});

test('nobody is told what was read before they asked', async t => {
  let value = 'old';
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const reads: string[] = [];
  const ask = readTogether(async keys => {
    const read = value;
    reads.push(read);
    if (read === 'old') await held;
    return new Map(keys.map(key => [key, read]));
  });
  const before = ask('a');
  while (reads.length === 0) await turn();
  value = 'new';
  t.is(await ask('a'), 'new');
  go();
  t.is(await before, 'old');
});

test('a query that fails does so for those who waited for it, and not for the next', async t => {
  let fails = true;
  const ask = readTogether(async keys => {
    if (fails) throw new Error('away');
    return new Map(keys.map(key => [key, 1]));
  });
  const waiting = [ask('a'), ask('b')];
  for (const each of waiting) await t.throwsAsync(each, { message: 'away' });
  fails = false;
  t.is(await ask('a'), 1);
});

test('where there is much to read, queries begin five milliseconds apart, and nobody is forgotten', async t => {
  let queries = 0;
  const ask = readTogether(async keys => {
    queries += 1;
    return new Map(keys.map(key => [key, key]));
  });
  const start = performance.now();
  const asked: Promise<string | undefined>[] = [];
  for (let count = 0; count < 2_500; count += 1) {
    asked.push(ask(`key ${count}`));
    if (count < 500) await turn();
  }
  t.deepEqual(
    await Promise.all(asked),
    asked.map((_, index) => `key ${index}`),
  );
  t.true(queries <= 22 + (performance.now() - start) / 5, `${queries} queries`);
});
