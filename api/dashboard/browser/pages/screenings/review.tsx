import { useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import type { Screening } from '#shared/screening/store/screenings.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { useDelayed } from '#api/dashboard/browser/parts/use_delayed.tsx';

type ScreeningDecision = BodyOf<'POST /v1/screenings/{id}/review'>['decision'];

/** From this score on a false positive needs a reason, as it does where an account is exactly that of the entry. */
const AS_GOOD_AS_CERTAIN = 0.95;

/**
 * Decides on a potential match, as it was read: who decides on something else than what they saw is told so. A decision cannot be taken
 * back, so that it is held back while it can be undone.
 */
export function Review({ screening }: { screening: Screening }) {
  const [deciding, setDeciding] = useState<{ decision: ScreeningDecision; seen: Screening } | null>(null);
  const { delay, waiting, shown } = useDelayed();
  const decide = (decision: ScreeningDecision) => setDeciding({ decision, seen: screening });
  return (
    <>
      <button type="button" disabled={waiting} onClick={() => decide('false_positive')}>
        Mark as false positive
      </button>
      <button type="button" class="danger" disabled={waiting} onClick={() => decide('true_match')}>
        Confirm match
      </button>
      {deciding && <Decide {...deciding} delay={delay} close={() => setDeciding(null)} />}
      {shown}
    </>
  );
}

function Decide({
  decision,
  seen: { id, updated_at, matches, payee_id },
  delay,
  close,
}: {
  decision: ScreeningDecision;
  seen: Screening;
  delay: ReturnType<typeof useDelayed>['delay'];
  close: () => void;
}) {
  const isFalse = decision === 'false_positive';
  const undecided = matches.filter(match => match.decision === null);
  const isCertain = undecided.some(match => match.features.key !== null || match.score >= AS_GOOD_AS_CERTAIN);
  const act = async (reason: string) => {
    const body = { decision, updated_at, ...(reason && { reason }) };
    delay({
      text: isFalse ? 'Marked as false positive.' : 'Match confirmed.',
      operation: 'POST /v1/screenings/{id}/review',
      args: { params: { id }, body },
    });
  };
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
      busy={false}
      problem={null}
      close={close}
    >
      <p class="quiet">
        Applies to {undecided.length === 1 ? 'the open match' : `all ${undecided.length} open matches`}.{' '}
        {payee_id &&
          (isFalse
            ? 'This payee is not matched to these entries again unless a name changes.'
            : 'Every further payment to this payee raises an alert. Payments are not blocked here: block them where they are made.')}
      </p>
      <p class="quiet">You can undo it for ten seconds. After that, the decision is final.</p>
    </Confirm>
  );
}
