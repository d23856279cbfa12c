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
  const none = analyzed_at === null ? 'Not verified yet' : 'No evidence was sent with this event.';
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
            ? 'No verifier supports this evidence. It is stored unchanged.'
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
        {run.evidence_id === null ? 'Event signature' : (evidence?.label ?? evidence?.kind)}· Verified{' '}
        <Time at={run.at} /> with verifier version {run.verifier_version}
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
  verified: 'All checks passed.',
  failed: 'A check failed. The evidence may be forged or reused.',
  inconclusive: 'Information needed for a decision is missing, such as a key or a transaction.',
};

function counted(checks: VerificationCheck[]): string {
  const of = (result: VerificationCheck['result']) => checks.filter(check => check.result === result).length;
  const [passed, failed, skipped] = [of('pass'), of('fail'), of('skip')];
  return [
    `${checks.length} ${checks.length === 1 ? 'check' : 'checks'}: ${passed} passed`,
    failed > 0 && `${failed} failed`,
    skipped > 0 && `${skipped} not checked`,
  ]
    .filter(Boolean)
    .join(', ');
}

const columns: Column<VerificationCheck & { key: string }>[] = [
  { name: 'Check', show: ({ name }) => wordsOf(name) },
  {
    name: 'Result',
    show: ({ result }) => <Badge of={result} label={{ pass: 'Passed', fail: 'Failed', skip: 'Not checked' }[result]} />,
  },
  {
    name: 'Reason',
    show: ({ detail, code }) => (
      <span class="value">
        {detail}
        {code && <small class="quiet"> {code}</small>}
      </span>
    ),
  },
];
