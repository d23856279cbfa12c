import test from 'ava';
import { searchableOf } from '#shared/screening/matcher/index/searchable.ts';
import { mayScoreWith } from '#shared/screening/matcher/names/may_score.ts';
import { prepareName } from '#shared/screening/matcher/names/prepare_name.ts';
import { sumFor } from '#shared/screening/matcher/names/score.ts';
import { likeness } from '#shared/screening/matcher/names/spelling.ts';
import { scoreNames } from '#shared/screening/matcher/screen_names.ts';
import { changes, seeded } from '#test/bench/screening/changes.ts';
import { entriesOf, loadList, sourcesOf } from '#test/bench/screening/load.ts';

test('names are left out uncompared only if they score too little, which most do', async t => {
  const [source] = sourcesOf(undefined);
  if (!source) throw new Error('there is no list');
  const { list } = await loadList(source);
  const { weigh } = searchableOf(list.index);
  const named = entriesOf(list).filter(({ name }) => name !== '');
  const listed = named.map(({ name, type }) => weigh(prepareName(name, type)));
  const asked = named
    .filter((_, at) => at % 3 === 0)
    .flatMap(({ name, type }) =>
      Object.values(changes).map(change => weigh(prepareName(change(name, seeded(name), type === 'person'), type))),
    );
  let left_out = 0;
  for (const query of asked) {
    const mayScore = mayScoreWith(query, likeness);
    for (const entry of listed) {
      const { score } = scoreNames(query, entry, entry.is_person);
      const written = [query, entry].map(({ words }) => words.map(word => word.written).join(' '));
      if (score < 1 && !mayScore(entry, entry.is_person, sumFor(score))) t.fail(written.join(', '));
      if (!mayScore(entry, entry.is_person, sumFor(0.85))) left_out += 1;
    }
  }
  t.true(left_out > 0.9 * asked.length * listed.length);
});
