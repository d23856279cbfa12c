import fc from 'fast-check';
import test from 'ava';
import { buildListIndex } from '#shared/screening/matcher/build_list_index.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import { buildListIndex as indexOf } from '#test/helpers/lists.ts';
import { readingsOfEach } from '#shared/screening/matcher/readings.ts';
import { screen } from '#shared/screening/matcher/screen.ts';
import { entry, listOf, organization, person, query, search } from './helpers.ts';
import { runs } from '#test/helpers/runs.ts';

const listed = [
  person('1', 'Mohammed Ali'),
  organization('2', 'LIMITED LIABILITY COMPANY GROUP TRADING'),
  organization('3', 'A'),
  entry({ entry_id: '4', keys: [{ type: 'domain', value: 'listed.example', label: null }] }),
];

const nobody = [
  '',
  ' ',
  'x',
  '😀😀',
  '\u0000\u200b\ufeff',
  'LLC',
  'Limited Liability Company',
  'the of and',
  'Mr. Dr. Haji',
  'Аа'.repeat(5_000),
  'x'.repeat(10_000),
  "'".repeat(10_000),
  'a\u0300'.repeat(5_000),
  '\u0300'.repeat(10_000),
  'A.'.repeat(5_000),
  '. '.repeat(5_000),
  '中'.repeat(10_000),
  '\ud800'.repeat(100),
  'constructor __proto__ toString',
];

for (const name of nobody)
  test(`${JSON.stringify(name.slice(0, 20))}, ${name.length} characters, is nobody`, t => {
    t.deepEqual(search(listed, { name, keys: [{ type: null, value: name }] }), []);
  });

test('a name that is written over and over is still itself or nobody, and asked with 100 aliases', t => {
  const name = 'Mohammed Ali '.repeat(800);
  t.true(search(listed, { name, aliases: Array.from({ length: 100 }, () => name) }).length <= 1);
});

test('fifty aliases of several names each are not searched hundreds of times, and each is looked for as it is written', t => {
  const several = (at: number) => `Shop ${at} / Café ${at} / Bakery ${at} / Mill ${at} / Farm ${at} / Bank ${at}`;
  const aliases = Array.from({ length: 50 }, (_, at) => several(at + 1));
  const readings = readingsOfEach([several(0), ...aliases], 'organization');
  t.is(readings.flat().length, 51 + 30);
  t.is(readings[0]?.length, 7, 'the name itself is read in every way');
  t.true(readings.every(each => each.length > 0));
});

test('an entry without a name is found by its identifier', t => {
  const [match] = search(listed, { name: 'Anybody', keys: [{ type: 'domain', value: 'listed.example' }] });
  t.like(match, { entry_id: '4', name: '', score: 1 });
});

test('an empty list finds nobody', t => {
  t.deepEqual(search([], { name: 'Mohammed Ali', keys: [{ type: null, value: 'x@y.example' }] }, { threshold: 0 }), []);
});

test('any text is answered, and whoever is listed under it scores 1', t => {
  const list = listOf(listed);
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ unit: 'grapheme', maxLength: 80 }));
  fc.assert(
    fc.property(text, name => {
      const { matches } = screen([list], query({ name, keys: [{ type: null, value: name }] }), {
        threshold: 0,
        limit: 100,
      });
      for (const { score } of matches) t.true(score >= 0 && score <= 1);
      const [own] = search([organization('1', name)], { name, type: 'organization' });
      t.true(own === undefined || own.score === 1);
    }),
    { numRuns: runs(300) },
  );
});

test('an index is the same, whether it is built here or, of more than a few entries, in a thread', async t => {
  async function* parts(list: readonly ListEntry[]) {
    yield list.slice(0, 2).map(each => JSON.stringify(each));
    yield list.slice(2).map(each => JSON.stringify(each));
  }
  const many = Array.from({ length: 60 }, (_, copy) =>
    listed.map(each => ({ ...each, entry_id: `${each.entry_id}-${copy}` })),
  ).flat();
  t.true(many.length > 200);
  for (const list of [listed, many]) t.deepEqual(await buildListIndex(parts(list)), indexOf(list));
});

test('what cannot be built is said, and so is what the entries throw', async t => {
  const many = listed.flatMap(each => Array.from({ length: 300 }, () => JSON.stringify(each)));
  for (const texts of [['no JSON'], [...many, 'no JSON']]) {
    async function* broken() {
      yield texts;
    }
    await t.throwsAsync(buildListIndex(broken()), { message: /cannot be built/ });
  }
  for (const texts of [[], many]) {
    let closed = false;
    async function* failing(): AsyncIterable<string[]> {
      try {
        yield texts;
        throw new RangeError('the database is away');
      } finally {
        closed = true;
      }
    }
    await t.throwsAsync(buildListIndex(failing()), { instanceOf: RangeError });
    t.true(closed);
  }
});
