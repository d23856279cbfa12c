import type { VerificationRun } from '#shared/events/log/event_verdicts.ts';
import type { EventDetail } from '#shared/events/log/events.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';

type Evidence = EventDetail['evidence'][number];
type VerificationCheck = VerificationRun['checks'][number];

/** What was computed again from the evidence, check by check. */
export function Verifications({
  event: { verification_runs, evidence, signature, analyzed_at },
}: {
  event: EventDetail;
}) {
  const none =
    analyzed_at === null ? 'Not verified yet.' : 'The event came without evidence, so there is nothing to verify.';
  return (
    <Section title="Verification">
      {verification_runs.length > 0 ? (
        <div class="cards">
          {verification_runs.map(run => (
            <Run key={run.id} run={run} evidence={evidence.find(({ id }) => id === run.evidence_id)} />
          ))}
        </div>
      ) : (
        <p class="quiet">
          {analyzed_at !== null && (evidence.length > 0 || signature)
            ? 'No verifier reads what came with the event: it is kept as it is.'
            : none}
        </p>
      )}
    </Section>
  );
}

const Run = ({ run, evidence }: { run: VerificationRun; evidence: Evidence | undefined }) => (
  <article class="card">
    <header>
      <Badge of={run.result} />
      <h3>{wordsOf(run.kind)}</h3>
      <small class="quiet">
        {run.evidence_id === null ? 'the signature of the event itself' : (evidence?.label ?? evidence?.kind)}, computed{' '}
        <Time at={run.at} /> by verifier version {run.verifier_version}
      </small>
    </header>
    <p>{meaning[run.result]}</p>
    <details open={run.result !== 'verified'}>
      <summary>{counted(run.checks)}</summary>
      <Table
        caption={`Checks of ${wordsOf(run.kind)}`}
        columns={columns}
        rows={run.checks.map((check, index) => ({ ...check, key: `${run.id}-${index}` }))}
        idOf={({ key }) => key}
      />
    </details>
  </article>
);

const meaning: Record<VerificationRun['result'], string> = {
  verified: 'Everything this kind of evidence needs was computed, and holds.',
  failed: 'A check did not hold: somebody may have forged this, or used it before.',
  inconclusive: 'Something needed to decide is not known here, such as a key or a transaction; nothing is guessed.',
};

function counted(checks: VerificationCheck[]): string {
  const of = (result: VerificationCheck['result']) => checks.filter(check => check.result === result).length;
  const [passed, failed, skipped] = [of('pass'), of('fail'), of('skip')];
  return [
    `${checks.length} ${checks.length === 1 ? 'check' : 'checks'}: ${passed} passed`,
    failed > 0 && `${failed} failed`,
    skipped > 0 && `${skipped} not done`,
  ]
    .filter(Boolean)
    .join(', ');
}

const columns: Column<VerificationCheck & { key: string }>[] = [
  { name: 'Check', show: ({ name }) => wordsOf(name) },
  {
    name: 'Result',
    show: ({ result }) => <Badge of={result} label={{ pass: 'Passed', fail: 'Failed', skip: 'Not done' }[result]} />,
  },
  {
    name: 'Why',
    show: ({ detail, code }) => (
      <span class="value">
        {detail}
        {code && <small class="quiet"> {code}</small>}
      </span>
    ),
  },
];
