import test from 'ava';
import { grownSlow } from './rooms.ts';

const remembered = { 'short.test.ts': 2_000, 'long.test.ts': 30_000 };
const files = (durations: Record<string, number>) => grownSlow(durations, remembered).map(({ file }) => file);

test('a file that takes far longer than it did, or is new and takes long, has grown slow; on a slower machine none has', t => {
  t.deepEqual(files({ 'short.test.ts': 2_000, 'long.test.ts': 31_000, 'new.test.ts': 19_000 }), []);
  t.deepEqual(files({ 'short.test.ts': 2_000, 'long.test.ts': 30_000, 'new.test.ts': 21_000 }), ['new.test.ts']);
  t.deepEqual(files({ 'short.test.ts': 21_000, 'long.test.ts': 10_000 }), ['short.test.ts']);
  t.deepEqual(files({ 'short.test.ts': 10_000, 'long.test.ts': 150_000, 'new.test.ts': 90_000 }), []);
});

test('the rest of a run tells how fast the machine is, not the file itself alone', t => {
  const others = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.test.ts`, 10_000]));
  const slow = grownSlow({ ...others, 'long.test.ts': 150_000 }, { ...others, 'long.test.ts': 30_000 });
  t.deepEqual(
    slow.map(({ file }) => file),
    ['long.test.ts'],
  );
});
