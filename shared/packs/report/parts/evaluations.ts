import { describeResult } from '#shared/mandates/describe.ts';
import { moneyText } from '#shared/mandates/money_text.ts';
import type { PackEvaluation } from '#shared/packs/pack_files.ts';
import { createKept, type Kept, rowsOf } from '#shared/packs/report/kept.ts';
import { LONGEST_NAME, LONGEST_TEXT, MOST_ROWS, MOST_TALL, MOST_WITHIN } from '#shared/packs/report/limits.ts';
import { outside } from '#shared/packs/report/outside.ts';
import { addRef, noRefs, type Refs, refsText } from '#shared/packs/report/refs.ts';
import type { Figure, ReportSection, TextSpan, ReportTable, Text } from '#shared/packs/report/report.ts';
import { mandateVerdict } from '#shared/packs/report/verdicts.ts';
import { code, columnsOf, counted, grouped, joined, moreIn, replaced, verdict } from '#shared/packs/report/words.ts';
import type { MandatesPart } from './mandates.ts';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';

/**
 * Payments compared with mandates: by mandate, what was breached, what could not be evaluated, and every constraint with what was observed.
 */
export type EvaluationsPart = {
  add(evaluation: PackEvaluation): void;
  section(): ReportSection;
  figure(): Figure;
};

type Result = PackEvaluation['result'];
type Verdict = PackEvaluation['constraints'][number];
type Row = ReportTable['rows'][number];
type OfMandate = Record<Result, number> & { mandate_id: string; version: number; breaches: Refs };

export function createEvaluationsPart(mandates: MandatesPart): EvaluationsPart {
  const by_mandate = new Map<string, OfMandate>();
  const rows = {
    breach: createKept<Row>(MOST_ROWS),
    unresolved: createKept<Row>(MOST_ROWS),
    compliant: createKept<Row>(MOST_TALL),
  };
  const breaches = noRefs();
  const counts = { compliant: 0, breach: 0, unresolved: 0 };
  let superseded = 0;
  return {
    add(evaluation) {
      const { mandate_id, version, result, chain_seq } = evaluation;
      if (evaluation.superseded) {
        superseded += 1;
        return;
      }
      const key = `${mandate_id} ${version}`;
      const of = by_mandate.get(key) ?? {
        mandate_id,
        version,
        compliant: 0,
        breach: 0,
        unresolved: 0,
        breaches: noRefs(),
      };
      by_mandate.set(key, of);
      of[result] += 1;
      counts[result] += 1;
      if (result === 'breach') addRef(of.breaches, chain_seq);
      // An event may breach several mandates; its evaluations come one after another.
      if (result === 'breach') addRef(breaches, chain_seq);
      if (result === 'compliant') rows.compliant.add(() => keptRow(evaluation, mandates));
      for (const [index, constraint] of evaluation.constraints.entries())
        if (constraint.result !== 'compliant')
          rows[constraint.result].add(() => rowOf(evaluation, constraint, index, mandates));
    },
    section: () => ({
      id: 'evaluations',
      title: 'Mandate evaluations',
      blocks:
        by_mandate.size === 0
          ? [{ type: 'paragraph', text: 'No evaluation of these events against a mandate was recorded.' }]
          : [
              {
                type: 'note',
                text: `From evaluations.json: the evaluation that stands of each event by each mandate.${replaced(superseded, 'earlier one')} Observed and allowed are in the unit of the constraint.`,
              },
              mandateTable(by_mandate, mandates),
              ...constraintTable('Breached constraints', rows.breach),
              ...constraintTable('Unresolved constraints', rows.unresolved),
              ...keptTable(rows.compliant),
            ],
    }),
    figure: () => ({
      label: 'Mandate breaches',
      value: grouped(breaches.count),
      tone: counts.breach > 0 ? 'bad' : null,
      rule: `evaluations.json: events with an evaluation that is a breach and not superseded. ${grouped(counts.compliant)} of ${counted(counts.compliant + counts.breach + counts.unresolved, 'evaluation')} came out compliant, ${grouped(counts.unresolved)} unresolved.`,
      events: breaches.count > 0 ? refsText(breaches) : '',
    }),
  };
}

/** A constraint that was breached or not evaluated. */
function rowOf(evaluation: PackEvaluation, constraint: Verdict, index: number, mandates: MandatesPart): Row {
  const { mandate_id, version } = evaluation;
  const terms = termsOf(evaluation, index, mandates);
  const { type, result, observed, limit, code: reason } = constraint;
  return {
    seq: null,
    cells: [
      eventText(evaluation),
      mandates.name(mandate_id, version),
      [
        outside(type),
        ' ',
        ...(reason === undefined ? [] : [verdict(reason, result === 'breach' ? 'bad' : 'open'), ' ']),
        outside(describeResult(constraint, terms), LONGEST_TEXT),
      ],
      valueText(observed, terms),
      valueText(limit, terms),
    ],
  };
}

/** A payment that met every constraint. */
function keptRow(evaluation: PackEvaluation, mandates: MandatesPart): Row {
  const { constraints, mandate_id, version } = evaluation;
  const texts = constraints.slice(0, MOST_WITHIN).map(({ type, observed, limit }, index): Text => {
    const terms = termsOf(evaluation, index, mandates);
    return [outside(type), ' ', valueText(observed, terms), ' of ', valueText(limit, terms)];
  });
  const more = constraints.length > MOST_WITHIN ? [' …'] : [];
  return {
    seq: null,
    cells: [eventText(evaluation), mandates.name(mandate_id, version), [joined(texts, '; '), more].flat(2)],
  };
}

const eventText = ({ chain_seq, event_id }: PackEvaluation): Text => [
  { seqs: [chain_seq], more: '' },
  ' ',
  code(event_id),
];

const valueText = (value: string | null, terms: ConstraintTerms | undefined): TextSpan =>
  value === null ? 'unknown' : outside(moneyText(value, terms), LONGEST_NAME);

/** The terms of a constraint; undefined for a condition of the mandate itself, which comes before its constraints. */
function termsOf(
  { mandate_id, version, constraints }: PackEvaluation,
  index: number,
  mandates: MandatesPart,
): ConstraintTerms | undefined {
  const terms = mandates.terms(mandate_id, version);
  return terms[index - (constraints.length - terms.length)];
}

function keptTable(rows: Kept<Row>): ReportTable[] {
  if (rows.count() === 0) return [];
  return [
    {
      type: 'table',
      caption: `Evaluations that came out compliant: ${grouped(rows.count())}`,
      columns: columnsOf({ Event: 14, Mandate: 17, 'Observed / allowed': 50 }),
      ...rowsOf(rows, 'evaluations.json'),
    },
  ];
}

/** No table when there are no such constraints. */
function constraintTable(caption: string, rows: Kept<Row>): ReportTable[] {
  if (rows.count() === 0) return [];
  return [
    {
      type: 'table',
      caption: `${caption}: ${grouped(rows.count())}`,
      columns: columnsOf({ Event: 14, Mandate: 17, Constraint: 26, Observed: 12, Allowed: 12 }),
      ...rowsOf(rows, 'evaluations.json'),
    },
  ];
}

const mandateTable = (by_mandate: Map<string, OfMandate>, mandates: MandatesPart): ReportTable => ({
  type: 'table',
  caption: 'Evaluations by mandate',
  columns: columnsOf({
    Mandate: 18,
    '#Compliant': 5,
    '#Breach': 5,
    '#Unresolved': 5,
    Worst: 6,
    'Events in breach': 12,
  }),
  rows: [...by_mandate.values()]
    .slice(0, MOST_ROWS)
    .map(({ mandate_id, version, compliant, breach, unresolved, breaches }) => ({
      seq: null,
      cells: [
        mandates.name(mandate_id, version),
        grouped(compliant),
        grouped(breach),
        grouped(unresolved),
        mandateVerdict(breach > 0 ? 'breach' : unresolved > 0 ? 'unresolved' : 'compliant'),
        breach > 0 ? refsText(breaches) : '',
      ],
    })),
  more: moreIn(by_mandate.size - MOST_ROWS, 'evaluations.json'),
});
