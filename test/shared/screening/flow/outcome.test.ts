import test from 'ava';
import {
  decideOutcome,
  type FoundMatch,
  type Latest,
  type DecisionInput,
  standing,
} from '#shared/screening/flow/outcome.ts';
import { pairKey } from '#shared/screening/store/screening_entries.ts';
import type { Pair } from '#shared/screening/store/screening_pairs.ts';
import { nobody } from '#shared/screening/store/screening_query.ts';
import type { StoredMatch } from '#shared/screening/store/screening_matches.ts';

const subject = { ...nobody, name: 'Ocean Shipping' };

const match = (entry_id: string, more: Partial<FoundMatch> = {}): FoundMatch => ({
  list_org: '',
  list: 'fictional',
  entry_id,
  name: `Entry ${entry_id}`,
  matched_name: `Entry ${entry_id}`,
  score: 0.9,
  match_type: 'name',
  features: {
    name_score: 0.9,
    tokens: [],
    unmatched_query: [],
    unmatched_entry: [],
    modifiers: [],
    key: null,
    entry_type: 'organization',
    birth_dates: [],
    weak_alias: false,
    list_version: 1,
  },
  programs: [],
  countries: [],
  entry_names: 'names of the entry',
  ...more,
});

const decided = (entry_id: string, decision: Pair['decision'], more: Partial<Pair> = {}): [string, Pair] => [
  pairKey(match(entry_id)),
  {
    payee_id: 'pye_1',
    list_org: '',
    list: 'fictional',
    entry_id,
    decision,
    exact: false,
    score: 0.9,
    payee_names: 'names',
    entry_names: 'names of the entry',
    ...more,
  },
];

/** The latest screening, with these matches as they were decided. */
const before = (state: string, matches: [string, StoredMatch['decision']][] = []): Latest => ({
  id: 'scr_1',
  state,
  query: subject,
  matches: new Map(
    matches.map(([entry_id, decision]) => {
      const { list_org, list, score, match_type, name, matched_name, entry_names } = match(entry_id);
      const stored = {
        screening_id: 'scr_1',
        list_org,
        list,
        entry_id,
        score,
        match_type,
        name,
        matched_name,
        entry_names,
      };
      return [pairKey(stored), { ...stored, id: `mtc_${entry_id}`, decision }];
    }),
  ),
});

const decide = (matches: FoundMatch[], more: Partial<DecisionInput> = {}) =>
  decideOutcome({ subject, matches, names: 'names', pairs: new Map(), latest: null, now: 0, ...more });

test('the first look makes a record, whatever it finds', t => {
  t.like(decide([]), { record: 'make', state: 'clear', score: 0, payee: { state: 'clear', score: null, match: null } });
  const found = decide([match('1'), match('2', { score: 0.95 })]);
  t.like(found, { record: 'make', state: 'potential_match', score: 0.95 });
  t.deepEqual(found.payee, { state: 'potential_match', score: 0.95, match: 'Entry 2' });
  t.is(found.fresh.length, 2);
});

test('what is still to be reviewed is changed in place, and only what it did not have is new', t => {
  const latest = before('potential_match', [['1', null]]);
  t.like(decide([match('1')], { latest }), { record: 'keep', fresh: [] });
  const more = decide([match('1'), match('2')], { latest });
  t.like(more, { record: 'change', state: 'potential_match' });
  t.deepEqual(
    more.fresh.map(({ entry_id }) => entry_id),
    ['2'],
  );
  t.is(more.matches[0]?.id, 'mtc_1', 'a match keeps its id');
  t.like(decide([], { latest }), { record: 'change', state: 'clear', fresh: [] });
  for (const change of [{ score: 0.91 }, { entry_names: 'others' }, { match_type: 'address' as const }])
    t.is(decide([match('1', change)], { latest }).record, 'change', JSON.stringify(change));
});

test('after a clear or decided screening only something new makes a record', t => {
  t.is(decide([], { latest: before('clear') }).record, 'keep');
  t.is(decide([], { latest: before('clear'), asked: true }).record, 'make');
  t.is(decide([match('1')], { latest: before('clear') }).record, 'make');
  t.is(decide([], { latest: before('clear'), subject: { ...subject, country: 'DE' } }).record, 'make');
  const latest = before('false_positive', [['1', 'false_positive']]);
  const pairs = new Map([decided('1', 'false_positive')]);
  t.like(decide([match('1', { score: 0.99 })], { latest, pairs }), {
    record: 'keep',
    state: 'false_positive',
    fresh: [],
  });
  t.like(decide([], { latest, pairs }), { record: 'make', state: 'clear' });
  t.like(decide([match('1')], { latest: before('error'), pairs }), { record: 'change', state: 'false_positive' });
});

test('a dismissed match is raised again when a name changed, or when an identifier now says so', t => {
  const latest = before('false_positive', [['1', 'false_positive']]);
  const pairs = new Map([decided('1', 'false_positive')]);
  const raised = (found: FoundMatch, more: Partial<DecisionInput> = {}) =>
    decide([found], { latest, pairs, ...more }).fresh.length;
  t.is(raised(match('1')), 0);
  t.is(raised(match('1'), { names: 'other names' }), 1);
  t.is(raised(match('1', { entry_names: 'other names' })), 1);
  t.is(raised(match('1', { match_type: 'address', score: 1 })), 1);
  const exact = new Map([decided('1', 'false_positive', { exact: true })]);
  t.is(raised(match('1', { match_type: 'address', score: 1 }), { pairs: exact }), 0);
  t.is(raised(match('1'), { pairs: exact }), 0);
});

test('a confirmed match stays one while it matches, and outweighs what is still to be reviewed', t => {
  const pairs = new Map([decided('1', 'true_match')]);
  const latest = before('confirmed_match', [['1', 'true_match']]);
  t.like(decide([match('1', { entry_names: 'others' })], { latest, pairs, names: 'others' }), {
    state: 'confirmed_match',
    fresh: [],
  });
  const both = decide([match('1', { score: 0.86 }), match('2', { score: 1 })], { latest, pairs });
  t.like(both, { record: 'make', state: 'potential_match', score: 1 });
  t.deepEqual(both.payee, { state: 'confirmed_match', score: 0.86, match: 'Entry 1' });
  t.like(decide([], { latest, pairs }), { record: 'make', state: 'clear', payee: { state: 'clear' } });
});

test('a payee is what its matches were decided to be', t => {
  const stands = (...decisions: StoredMatch['decision'][]) => {
    const { state, payee } = standing(decisions.map(decision => ({ ...match('1'), decision })));
    return `${state} ${payee.state}`;
  };
  t.is(stands(), 'clear clear');
  t.is(stands(null), 'potential_match potential_match');
  t.is(stands('false_positive'), 'false_positive false_positive');
  t.is(stands('false_positive', null), 'potential_match potential_match');
  t.is(stands('true_match', 'false_positive'), 'confirmed_match confirmed_match');
  t.is(stands('true_match', null), 'potential_match confirmed_match');
});
