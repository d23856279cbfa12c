import { signedOut } from '#api/dashboard/browser/reading/store.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

/** Ends the session. */
export function SignOut() {
  const { run, busy } = useChange('POST /v1/sign-out', { refresh: false });
  return (
    <button type="button" class="link" disabled={busy} onClick={() => void run({}).then(done => done && signedOut())}>
      Sign out
    </button>
  );
}
