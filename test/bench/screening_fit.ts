import { Command } from 'commander';
import { weightsOf } from '#shared/screening/matcher/names/score.ts';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import { candidatesOf, type Searched } from '#test/bench/screening/candidates.ts';
import { type ListCase, readCases } from '#test/bench/screening/cases.ts';
import { changes, seeded } from '#test/bench/screening/changes.ts';
import { entriesOf, loadList, sourcesOf } from '#test/bench/screening/load.ts';
import { thresholdFor } from '#test/bench/screening/rates.ts';
import { type Example, fitWeights, likenessBy, type Weights } from '#test/bench/screening/regression.ts';
import { table } from '#test/bench/screening/report.ts';

// `npm run bench:screening:fit [folder]`: fits the weights of shared/screening/matcher/names/score.ts, and says what they would find of names
// that they were not fitted to. The folder is that of `npm run bench:screening`. Cases: its labeled queries, and names of its lists changed in
// the ways of changes.ts; nobody's: its labeled queries that are nobody, and names put together of two listed persons. The same folder gives
// the same weights. Search with the weights that it prints, and fit again: what is found depends on them a little.
const [folder] = new Command('npm run bench:screening:fit --')
  .description('Fits the weights of names, with cross-validation by listed name.')
  .argument('[folder]', 'lists and labeled cases')
  .parse().args;

const FOLDS = 5;
const THRESHOLD = 0.85;
/** The share of false alarms that the threshold is set to have, on the cases that are fitted to. */
const FALSE_ALARMS = 0.007;
/** How much a name that is nobody's counts for one that is somebody's. */
const WEIGHT_OF_NOBODY = 3;
const MOST_CHANGED = 350;

type Model = { people: Weights; others: Weights };
type Rated = { case: ListCase; is_derived: boolean; score: number };

const lists: LoadedList[] = [];
for (const source of sourcesOf(folder)) lists.push((await loadList(source)).list);
const labeled = folder ? readCases(folder).queries.filter(({ weak }) => !weak) : [];
const searched = candidatesOf(lists, [...labeled, ...derived()]);
const isDerived = ({ id }: ListCase) => id.startsWith('derived ');
console.log(`${labeled.length} labeled cases, ${searched.length - labeled.length} derived`);

const now: Model = { people: weightsOf(true), others: weightsOf(false) };
const held = Array.from({ length: FOLDS }, (_, fold) => {
  const model = fit(searched.filter(each => foldOf(each.case) !== fold));
  return rate(
    searched.filter(each => foldOf(each.case) === fold),
    model,
  );
}).flat();
console.log(`\n${report('as they are', rate(searched, now), 'fitted, names held apart', held)}`);
const model = fit(searched);
console.log(`\n${weightTable(model)}`);

/** Fits to cases, and moves the constants so that the threshold has the false alarms that it is to have. */
function fit(cases: readonly Searched[]): Model {
  let fitted = now;
  for (let round = 0; round < 2; round += 1) {
    const examples = cases.flatMap(each => examplesOf(each, fitted));
    const of = (isPerson: boolean) => examples.filter(({ is_person }) => is_person === isPerson);
    fitted = { people: fitWeights(of(true), fitted.people), others: fitWeights(of(false), fitted.others) };
  }
  let [low, high] = [-6, 6];
  const nobody = cases.filter(each => each.case.expect === null && (labeled.length === 0 || !isDerived(each.case)));
  for (let step = 0; step < 30; step += 1) {
    const middle = (low + high) / 2;
    const rated = rate(nobody, moved(fitted, middle));
    if (rated.filter(({ score }) => score >= THRESHOLD).length > FALSE_ALARMS * rated.length) high = middle;
    else low = middle;
  }
  return moved(fitted, low);
}

/** Of a case that is somebody the right entry's best name, of one that is nobody the likeliest. What a cap decides teaches nothing. */
function examplesOf(
  { case: { expect }, candidates }: Searched,
  { people, others }: Model,
): (Example & { is_person: boolean })[] {
  const sorted = candidates
    .filter(({ is_right, is_capped, score }) => is_right === (expect !== null) && !is_capped && score < 1)
    .toSorted(
      (a, b) =>
        likenessBy(b.is_person ? people : others, b.measures) - likenessBy(a.is_person ? people : others, a.measures),
    );
  return sorted.slice(0, expect === null ? 3 : 1).map(({ measures, is_person, is_right }) => ({
    measures,
    is_person,
    is_right,
    weight: is_right ? 1 : WEIGHT_OF_NOBODY,
  }));
}

function rate(cases: readonly Searched[], { people, others }: Model): Rated[] {
  return cases.map(({ case: each, candidates }) => {
    let score = 0;
    for (const { is_right, is_person, measures, scoreFor } of candidates)
      if (is_right === (each.expect !== null))
        score = Math.max(score, scoreFor(likenessBy(is_person ? people : others, measures)));
    return { case: each, is_derived: isDerived(each), score };
  });
}

function moved({ people, others }: Model, by: number): Model {
  const move = (weights: Weights): Weights => ({ ...weights, constant: weights.constant + by });
  return { people: move(people), others: move(others) };
}

function foldOf({ expect, query }: ListCase): number {
  return Math.floor(seeded(expect ?? query.name)() * FOLDS);
}

function derived(): ListCase[] {
  return lists.flatMap(list => {
    const listed = entriesOf(list).filter(({ action, name }) => action === 'deny' && name !== '');
    const every = Math.max(1, Math.floor(listed.length / MOST_CHANGED));
    const chosen = listed.filter((_, at) => at % every === 0);
    const persons = chosen.filter(({ type, name }) => type === 'person' && name.includes(', '));
    const changed = chosen.flatMap(({ entry_id, name, type }) =>
      Object.entries(changes).flatMap(([category, change]) => {
        const id = `derived ${list.name} ${entry_id} ${category}`;
        const query = { name: change(name, seeded(id), type === 'person'), type };
        return query.name === name
          ? []
          : [{ id, category: `changed: ${category}`, query, expect: `${list.name}:${entry_id}` }];
      }),
    );
    const mixed = persons.flatMap(({ name }, at) => {
      const other = persons[(at + 1) % persons.length]?.name ?? '';
      const query = { name: `${name.split(', ')[1]} ${other.split(', ')[0]}`, type: 'person' as const };
      return [{ id: `derived mixed ${name}`, category: 'mixed of two', query, expect: null }];
    });
    return [...changed, ...mixed];
  });
}

function report(nameA: string, a: readonly Rated[], nameB: string, b: readonly Rated[]): string {
  const cells = (name: string, of: (rated: readonly Rated[]) => string) => [name, of(a), of(b)];
  const own = (rated: readonly Rated[]) => (labeled.length === 0 ? rated : rated.filter(each => !each.is_derived));
  const nobody = (rated: readonly Rated[]) =>
    own(rated).flatMap(each => (each.case.expect === null ? [each.score] : []));
  const somebody = (rated: readonly Rated[]) =>
    own(rated).flatMap(each => (each.case.expect === null ? [] : [each.score]));
  const above = (scores: readonly number[], threshold: number) =>
    scores.filter(score => score >= threshold).length / (scores.length || 1);
  const categories = [...new Set(a.map(each => each.case.category))].toSorted();
  const right = (rated: readonly Rated[], category: string) => {
    const cases = rated.filter(each => each.case.category === category);
    return cases.filter(each => each.score >= THRESHOLD === (each.case.expect !== null)).length / (cases.length || 1);
  };
  return table(
    ['cases', nameA, nameB],
    [
      cells('recall at 1 % false alarms', rated =>
        above(somebody(rated), thresholdFor(nobody(rated), 0.01)).toFixed(4),
      ),
      cells('recall at 5 % false alarms', rated =>
        above(somebody(rated), thresholdFor(nobody(rated), 0.05)).toFixed(4),
      ),
      cells(`recall at ${THRESHOLD}`, rated => above(somebody(rated), THRESHOLD).toFixed(4)),
      cells(`false alarms at ${THRESHOLD}`, rated => above(nobody(rated), THRESHOLD).toFixed(4)),
      ...categories.map(category => cells(`  ${category}`, rated => right(rated, category).toFixed(3))),
    ],
  );
}

function weightTable({ people, others }: Model): string {
  const rows = Object.keys(people).map(name => {
    const key = name as keyof Weights;
    return [
      name,
      people[key].toFixed(2),
      others[key].toFixed(2),
      now.people[key].toFixed(2),
      now.others[key].toFixed(2),
    ];
  });
  return table(['weights', 'people', 'others', 'people now', 'others now'], rows);
}
