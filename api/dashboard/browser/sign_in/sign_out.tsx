import { useState } from 'preact/hooks';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { signedOut } from '#api/dashboard/browser/reading/store.ts';
import { forgetUnsentOf, sendAllUnsent, type Unsent } from '#api/dashboard/browser/reading/unsent.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { readerOf, useSession } from '#api/dashboard/browser/session.tsx';

/** Ends the session. What can still be undone is saved first; of what cannot be saved it asks. Nothing that was decided stays in the browser. */
export function SignOut() {
  const session = useSession();
  const { run, busy, problem, clear } = useChange('POST /v1/sign-out', { refresh: false });
  const [isSaving, setSaving] = useState(false);
  const [unsaved, setUnsaved] = useState<Unsent[] | null>(null);
  const end = async () => {
    const done = await run({});
    if (done) {
      forgetUnsentOf(session.me.user.id);
      signedOut();
    }
    return done;
  };
  const finish = async () => {
    setSaving(true);
    const left = await sendAllUnsent(readerOf(session));
    setSaving(false);
    if (left.length === 0) await end();
    else setUnsaved(left);
  };
  return (
    <>
      <button type="button" class="link" disabled={busy || isSaving} onClick={() => void finish()}>
        Sign out
      </button>
      {unsaved ? (
        <Confirm
          title="Sign out without saving?"
          button="Discard and sign out"
          danger
          act={end}
          busy={busy}
          problem={problem}
          close={() => {
            clear();
            setUnsaved(null);
          }}
        >
          <p>{unsaved.length === 1 ? 'This change is not saved:' : 'These changes are not saved:'}</p>
          <ul>
            {unsaved.map(({ key, text }) => (
              <li key={key}>{text}</li>
            ))}
          </ul>
          <p>If you sign out now, they are discarded.</p>
        </Confirm>
      ) : (
        <ProblemNote problem={problem} />
      )}
    </>
  );
}
