import { useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import type { Screening } from '#shared/screening/store/screenings.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

type ScreeningDecision = BodyOf<'POST /v1/screenings/{id}/review'>['decision'];

/** From this score on a false positive needs a reason, as it does where an account is exactly that of the entry. */
const AS_GOOD_AS_CERTAIN = 0.95;

/** Decides on a potential match, as it was read: who decides on something else than what they saw is told so. */
export function Review({ screening }: { screening: Screening }) {
  const [deciding, setDeciding] = useState<{ decision: ScreeningDecision; seen: Screening } | null>(null);
  return (
    <>
      <button type="button" onClick={() => setDeciding({ decision: 'false_positive', seen: screening })}>
        Mark as false positive
      </button>
      <button type="button" class="danger" onClick={() => setDeciding({ decision: 'true_match', seen: screening })}>
        Confirm match
      </button>
      {deciding && <Decide {...deciding} close={() => setDeciding(null)} />}
    </>
  );
}

function Decide({
  decision,
  seen: { id, updated_at, matches, payee_id },
  close,
}: {
  decision: ScreeningDecision;
  seen: Screening;
  close: () => void;
}) {
  const { run, busy, problem } = useChange('POST /v1/screenings/{id}/review');
  const isFalse = decision === 'false_positive';
  const undecided = matches.filter(match => match.decision === null);
  const isCertain = undecided.some(match => match.features.key !== null || match.score >= AS_GOOD_AS_CERTAIN);
  const act = (reason: string) => run({ params: { id }, body: { decision, updated_at, ...(reason && { reason }) } });
  return (
    <Confirm
      title={isFalse ? 'Mark as false positive' : 'Confirm match'}
      button={isFalse ? 'Mark as false positive' : 'Confirm match'}
      danger={!isFalse}
      reason={{
        label: isFalse && isCertain ? 'Reason' : 'Reason (optional)',
        needed: isFalse && isCertain,
      }}
      act={act}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p class="quiet">
        Applies to {undecided.length === 1 ? 'the open match' : `all ${undecided.length} open matches`}.{' '}
        {payee_id &&
          (isFalse
            ? 'This payee is not matched to these entries again unless a name changes.'
            : 'Every further payment to this payee raises an alert. Payments are not blocked here: block them where they are made.')}
      </p>
      {problem?.status === 409 && (
        <p class="note">
          This screening changed while you were reviewing it. Close this dialog, check the updated page, and decide
          again.
        </p>
      )}
    </Confirm>
  );
}
