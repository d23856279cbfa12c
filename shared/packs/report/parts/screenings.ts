import type { PackScreening } from '#shared/packs/pack_files.ts';
import { createKept, type Kept, recordsOf, rowsOf } from '#shared/packs/report/kept.ts';
import { type PackReferences, payeeText } from '#shared/packs/report/references.ts';
import { LONGEST_TEXT, MOST_ROWS, MOST_TALL, MOST_WITHIN } from '#shared/packs/report/limits.ts';
import { outside } from '#shared/packs/report/outside.ts';
import { mergeRefs, noRefs, type Refs, refsText } from '#shared/packs/report/refs.ts';
import type {
  ReportRecord,
  ReportFact,
  Figure,
  ReportSection,
  TextSpan,
  ReportTable,
  Text,
  VerdictText,
} from '#shared/packs/report/report.ts';
import { code, columnsOf, grouped, joined, moreIn, spoken, time, verdict } from '#shared/packs/report/words.ts';

/** The latest screening of each payee against sanctions lists: what matched, how well, and the decision. */
export type ScreeningsPart = { add(screening: PackScreening): void; section(): ReportSection; figure(): Figure };

type State = PackScreening['state'];
type Row = ReportTable['rows'][number];

export function createScreeningsPart(references: PackReferences): ScreeningsPart {
  const by_state = new Map<State, number>();
  const entries = createKept<ReportRecord>(MOST_TALL);
  const rows = createKept<Row>(MOST_ROWS);
  const raised = noRefs();
  let count = 0;
  return {
    add(screening) {
      const { state, payee_id } = screening;
      count += 1;
      by_state.set(state, (by_state.get(state) ?? 0) + 1);
      const events = payee_id === null ? undefined : references.eventsOfPayee(payee_id);
      if (isRaised(state) && events) mergeRefs(raised, events);
      if (screening.matches.length > 0) entries.add(() => entryOf(screening, events));
      else rows.add(() => rowOf(screening, events));
    },
    section: () => ({
      id: 'screenings',
      title: 'Screening of payees',
      blocks:
        count === 0
          ? [{ type: 'paragraph', text: 'No screening of these payees was recorded.' }]
          : [
              {
                type: 'note',
                text: 'From screenings.json: the latest screening of each payee, as it stood. A score is from 0 to 1; 1 is an exact identifier. Clear means that no similar entry was on the lists named, at that time.',
              },
              stateTable(by_state),
              recordsOf(entries, 'screenings.json'),
              ...withoutMatches(rows),
            ],
    }),
    figure: () => ({
      label: 'Screening matches',
      value: grouped([...by_state].reduce((sum, [state, screenings]) => sum + (isRaised(state) ? screenings : 0), 0)),
      tone: by_state.has('confirmed_match') || by_state.has('potential_match') ? 'bad' : null,
      rule: `screenings.json: payees whose state is potential_match or confirmed_match, of ${grouped(count)}.${raised.count > 0 ? ' Paid in:' : ''}`,
      events: raised.count > 0 ? refsText(raised) : '',
    }),
  };
}

const isRaised = (state: State) => state === 'potential_match' || state === 'confirmed_match';

const stateVerdict = (state: State): VerdictText =>
  verdict(spoken(state), isRaised(state) ? 'bad' : state === 'clear' || state === 'false_positive' ? 'good' : 'open');

const stateTable = (by_state: Map<State, number>): ReportTable => ({
  type: 'table',
  caption: 'Payees by state of their screening',
  columns: columnsOf({ State: 4, '#Payees': 2 }),
  rows: [...by_state]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([state, payees]) => ({ seq: null, cells: [stateVerdict(state), grouped(payees)] })),
  more: null,
});

const subjectText = ({ query, payee_id }: PackScreening): TextSpan[] => {
  const name = query.name ?? undefined;
  const id = payee_id === null ? [] : [' ', code(payee_id)];
  if (query.key === null) return [outside(name ?? 'no name'), ...id];
  return [...payeeText(name, query.key), ...id];
};

const listsText = ({ lists }: PackScreening): Text =>
  lists.length === 0
    ? 'none'
    : joined(
        lists.map(({ name, version, loaded_at, stale }): Text => [
          outside(name),
          ` version ${version} of `,
          time(loaded_at),
          ...(stale ? [' ', verdict('stale', 'open')] : []),
        ]),
        '; ',
      );

function entryOf(screening: PackScreening, events: Refs | undefined): ReportRecord {
  const { id, state, query, score, threshold, matches, created_at, updated_at, allowed_by } = screening;
  return {
    title: [stateVerdict(state), ' ', ...subjectText(screening)],
    facts: [
      { label: 'Screening', text: [code(id), ', made ', time(created_at), ', last changed ', time(updated_at)] },
      { label: 'Score', text: `${String(score)}, where ${String(threshold)} counts` },
      ...(query.country === null ? [] : [{ label: 'Country', text: outside(query.country) }]),
      { label: 'Lists', text: listsText(screening) },
      { label: 'Paid in', text: events ? refsText(events) : 'no event of this pack' },
      ...(allowed_by === null
        ? []
        : [
            {
              label: 'Allowed by',
              text: [outside(allowed_by.list), ' ', outside(allowed_by.entry_id), ' ', outside(allowed_by.name)],
            },
          ]),
      decisionOf(screening),
    ],
    paragraphs: [],
    table: matchTable(matches),
    list: null,
  };
}

function decisionOf({ decision, reviewed_at, reviewed_by, reason }: PackScreening): ReportFact {
  if (decision === null) return { label: 'Decision', text: 'not decided' };
  return {
    label: 'Decision',
    text: [
      verdict(spoken(decision), decision === 'true_match' ? 'bad' : 'good'),
      ...(reviewed_at === null ? [] : [' at ', time(reviewed_at)]),
      ...(reviewed_by === null ? [] : [' by ', code(reviewed_by)]),
      ...(reason === null ? [] : [': ', outside(reason, LONGEST_TEXT)]),
    ],
  };
}

const matchTable = (matches: PackScreening['matches']): ReportTable => ({
  type: 'table',
  caption: 'Matches, best first',
  columns: columnsOf({
    'List and entry': 9,
    'Name on the list': 12,
    '#Score': 4,
    By: 5,
    'Programs, countries': 9,
    Decision: 6,
  }),
  rows: matches.slice(0, MOST_WITHIN).map(match => ({
    seq: null,
    cells: [
      [outside(match.list), ' ', outside(match.entry_id)],
      match.matched_name === match.name
        ? outside(match.name)
        : [outside(match.name), ', matched as ', outside(match.matched_name)],
      String(match.score),
      match.match_type,
      outside([...match.programs, ...match.countries].join(', ')),
      match.decision === null ? 'none' : spoken(match.decision),
    ],
  })),
  more: moreIn(matches.length - MOST_WITHIN, 'screenings.json'),
});

const rowOf = (screening: PackScreening, events: Refs | undefined): Row => ({
  seq: null,
  cells: [
    subjectText(screening),
    stateVerdict(screening.state),
    time(screening.updated_at),
    listsText(screening),
    events ? refsText(events) : '',
  ],
});

function withoutMatches(rows: Kept<Row>): ReportTable[] {
  if (rows.count() === 0) return [];
  return [
    {
      type: 'table',
      caption: `Payees without a match: ${grouped(rows.count())}`,
      columns: columnsOf({ Payee: 10, State: 4, 'Last changed': 6, Lists: 9, 'Paid in': 6 }),
      ...rowsOf(rows, 'screenings.json'),
    },
  ];
}
