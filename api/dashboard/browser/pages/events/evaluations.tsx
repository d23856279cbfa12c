import type { EventDetail } from '#shared/events/log/events.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { limitText, percentText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Sum, Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';

type ConstraintVerdict = EventDetail['mandate_evaluations'][number]['constraints'][number];
type MandateEvaluation = EventDetail['mandate_evaluations'][number];

/** The event against each mandate that applies, constraint by constraint. */
export const Evaluations = ({ event: { mandate_evaluations, analyzed_at } }: { event: EventDetail }) => (
  <Section title="Mandates">
    {mandate_evaluations.length > 0 ? (
      <div class="cards">
        {mandate_evaluations.map(evaluation => (
          <Evaluation key={evaluation.mandate_id} evaluation={evaluation} />
        ))}
      </div>
    ) : (
      <p class="quiet">{analyzed_at ? 'No mandate applies to this event.' : 'Not evaluated yet'}</p>
    )}
  </Section>
);

/** `terms` null: not read yet, so what its numbers are in is not known. */
type Row = ConstraintVerdict & { key: string; terms: Record<string, unknown> | undefined | null };

function Evaluation({
  evaluation: { mandate_id, version, result, constraints, at },
}: {
  evaluation: MandateEvaluation;
}) {
  // A version never changes; version 0 stands for a mandate that is not there.
  const { data, problem } = useReading(
    'GET /v1/mandates/{id}/versions',
    version > 0 ? { params: { id: mandate_id }, query: { limit: 200 } } : null,
    STILL,
  );
  const judged = data?.data.find(candidate => candidate.version === version);
  const terms: Record<string, unknown>[] = judged?.constraints ?? [];
  const isReading = version > 0 && !data && !problem;
  // What a mandate says itself – its state, its time – comes before its constraints.
  const rows = constraints.map((verdict, index): Row => ({
    ...verdict,
    key: String(index),
    terms: isReading ? null : terms[index - (constraints.length - terms.length)],
  }));
  return (
    <article class="card">
      <header>
        <Badge of={result} />
        <h3>{version > 0 ? <a href={`/mandates/${mandate_id}`}>{judged?.name ?? mandate_id}</a> : mandate_id}</h3>
        <small class="quiet">
          {version > 0 ? `Version ${version}` : 'Mandate not found'} · Evaluated <Time at={at} />
        </small>
      </header>
      <Table caption="Constraints" columns={columns} rows={rows} idOf={({ key }) => `${mandate_id}-${key}`} />
    </article>
  );
}

function amount(value: string | null | undefined, { terms }: Row) {
  if (value === null || value === undefined) return null;
  if (terms === null) return '…';
  return <Sum text={limitText(value, terms)} />;
}

const columns: Column<Row>[] = [
  {
    name: 'Constraint',
    show: ({ type, code, result }) => (
      <>
        <span class="only-narrow">
          <Badge of={result} />
        </span>
        {wordsOf(type.replace(/^mandate\./, 'mandate '))}
        {code && <small class="quiet block">{wordsOf(code)}</small>}
      </>
    ),
  },
  { name: 'Result', from: 'middle', show: ({ result }) => <Badge of={result} /> },
  { name: 'Observed', show: row => amount(row.observed, row) },
  { name: 'Allowed', show: row => amount(row.limit, row) },
  { name: 'Remaining', from: 'middle', show: row => amount(row.remaining, row) },
  {
    name: 'Usage',
    from: 'middle',
    align: 'end',
    show: ({ over }) => (over === undefined ? '' : percentText(over, over < 0.1 ? 1 : 0)),
  },
];
