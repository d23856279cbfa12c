import test from 'ava';
import { createBodies } from '#api/pressure/bodies.ts';

const MB = 1_048_576;
const noHeap = () => 0;

/** Begins bodies of a megabyte until one is refused; answers with how many were taken. */
function fill(bodies: ReturnType<typeof createBodies>, holder: string): number {
  for (let taken = 0; ; taken += 1) if (!bodies.begin(holder).take(MB)) return taken;
}

test('whoever sends without end gets half of the memory, the next a quarter, and there is always room for one more', t => {
  const bodies = createBodies(64 * MB, noHeap);
  t.deepEqual([fill(bodies, 'a'), fill(bodies, 'b'), fill(bodies, 'c')], [32, 16, 8]);
  t.is(fill(bodies, 'a'), 0);
  t.true(bodies.begin('d').take(MB));
});

test('what is given back can be taken again, a body that grows counts as it grows, and giving back twice is once', t => {
  const bodies = createBodies(4 * MB, noHeap);
  const [first, second, third] = [bodies.begin('a'), bodies.begin('a'), bodies.begin('b')];
  t.true(first.take(MB) && second.take(MB / 2) && third.take(MB));
  t.false(second.take(MB));
  first.release();
  first.release();
  t.true(second.take(MB));
  t.false(second.take(MB));
});

test('the first body is always taken, however little room there is', t => {
  const bodies = createBodies(10, () => 1);
  const first = bodies.begin('a');
  t.true(first.take(MB));
  t.true(first.take(MB));
  t.false(bodies.begin('b').take(1));
  first.release();
  t.true(bodies.begin('b').take(1));
});

test('with the heap nearly full, bodies are taken one at a time', t => {
  let use = 0.5;
  const bodies = createBodies(64 * MB, () => use);
  const first = bodies.begin('a');
  t.true(first.take(1) && bodies.begin('b').take(1));
  use = 0.9;
  t.false(bodies.begin('c').take(1));
  use = 0.5;
  t.true(bodies.begin('c').take(1));
});
