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
        False positive
      </button>
      <button type="button" class="danger" onClick={() => setDeciding({ decision: 'true_match', seen: screening })}>
        True match
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
      title={isFalse ? 'It is somebody else: false positive' : 'It is them: true match'}
      button={isFalse ? 'Call it a false positive' : 'Confirm the match'}
      danger={!isFalse}
      reason={{
        label: isFalse && isCertain ? 'Why it is somebody else' : 'Reason (may be left out)',
        needed: isFalse && isCertain,
      }}
      act={act}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p class="quiet">
        The decision holds for {undecided.length === 1 ? 'the match' : `all ${undecided.length} matches`} that nobody
        has decided on.{' '}
        {payee_id &&
          (isFalse
            ? 'It is remembered: this payee is not raised for these entries again until a name changes.'
            : 'Every further payment to this payee raises an alert. Payments are not stopped here: do that where they are made.')}
      </p>
      {problem?.status === 409 && (
        <p class="note">
          Somebody or a new list changed it while you looked. Close this dialog: the page shows it as it is now. Then
          decide.
        </p>
      )}
    </Confirm>
  );
}
