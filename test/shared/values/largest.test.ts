import test from 'ava';
import fc from 'fast-check';
import { largest } from '#shared/values/largest.ts';

// Sorting tells -0 from 0.
const numbers = fc.double({ noNaN: true }).map(value => value + 0);

test('the largest values are the end of them all in order', t => {
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 60 }), fc.nat({ max: 70 }), (values, count) => {
      const sorted = new Float64Array(values).sort();
      t.deepEqual(largest(values, count), sorted.slice(Math.max(0, sorted.length - count)));
    }),
  );
  t.pass();
});
