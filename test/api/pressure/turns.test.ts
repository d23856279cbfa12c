import test from 'ava';
import { createTurns } from '#api/pressure/turns.ts';

/** Asks for places by name, notes who got theirs in which order, and gives them back by name. */
function desk(most: number, most_waiting = 100) {
  const turns = createTurns(most, most_waiting);
  const begun: string[] = [];
  const places = new Map<string, { release(): void }>();
  /** Null where it is refused. */
  const ask = (name: string, weight = 1) => {
    const place = turns.take(name.slice(0, 1), weight);
    return place && note(name, place);
  };
  const note = async (name: string, place: Promise<{ release(): void }>) => {
    places.set(name, await place);
    begun.push(name);
  };
  /** Whoever may begin has begun. */
  const settled = () => new Promise(resolve => setImmediate(resolve));
  const end = async (name: string) => {
    places.get(name)?.release();
    await settled();
  };
  return { ask, begun, end, settled };
}

test('one organization gets half of the places, a second finds one at once, and nobody gets more than is left free', async t => {
  const { ask, begun, settled } = desk(10);
  for (let index = 0; index < 64; index += 1) ask(`a${index}`);
  void ask('b0');
  void ask('b1');
  await settled();
  t.deepEqual(begun, ['a0', 'a1', 'a2', 'a3', 'a4', 'b0', 'b1']);
});

test('an organization with much under way waits behind one with little', async t => {
  const { ask, begun, end, settled } = desk(4);
  for (const name of ['a0', 'a1', 'b0', 'c0', 'a2', 'a3', 'b1', 'd0']) void ask(name);
  await settled();
  t.deepEqual(begun.splice(0), ['a0', 'a1', 'b0', 'c0']);
  await end('a0');
  t.deepEqual(begun.splice(0), ['d0'], 'who has nothing comes first, though last to ask');
  await end('c0');
  t.deepEqual(begun.splice(0), [], 'the rest have all that they may have while others are at work');
  await end('d0');
  t.deepEqual(begun.splice(0), ['a2'], 'of two that have as much, the one that has waited longer for a turn');
});

test('organizations that always have something waiting take turns, however many there are', async t => {
  const { ask, begun, end, settled } = desk(2);
  for (let round = 0; round < 3; round += 1) for (const name of 'abcde') void ask(name + round);
  await settled();
  for (let index = 0; index < begun.length; index += 1) await end(begun[index] ?? '');
  t.is(begun.length, 15);
  for (const round of [0, 5, 10])
    t.is(
      begun
        .slice(round, round + 5)
        .map(name => name[0])
        .toSorted()
        .join(''),
      'abcde',
      String(begun),
    );
});

test('a large batch has more places, and comes to its turn though small requests of others keep coming', async t => {
  const { ask, begun, end, settled } = desk(10);
  for (const name of ['a0', 'a1', 'a2', 'a3', 'a4', 'b0', 'b1']) void ask(name);
  void ask('c0', 100);
  for (const name of ['a5', 'b2']) void ask(name);
  await settled();
  t.false(begun.includes('c0'));
  await end('a0');
  await end('a1');
  t.is(begun.at(-1), 'c0');
  t.false(begun.includes('b2'));
});

test('who has too many waiting is refused, another is not, and a place given back twice is given back once', async t => {
  const { ask, begun, end, settled } = desk(2, 3);
  for (let index = 0; index < 4; index += 1) t.not(ask(`a${index}`), null);
  t.is(ask('a4'), null);
  t.not(ask('b0'), null);
  await settled();
  t.deepEqual(begun, ['a0', 'b0']);
  await end('b0');
  await end('b0');
  t.not(ask('c0'), null);
  await settled();
  t.deepEqual(begun, ['a0', 'b0', 'c0']);
});
