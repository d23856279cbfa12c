import { useState } from 'preact/hooks';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { EnrollPasskey } from './enroll_passkey.tsx';
import { EnrollTotp } from './enroll_totp.tsx';
import { Lobby } from './lobby.tsx';
import { RecoveryCodesNote } from './recovery_codes.tsx';
import { SignOut } from './sign_out.tsx';

/** Has whoever needs a second factor here, and has none, set one up. */
export function EnrollGate({ done }: { done: () => void }) {
  const { me } = useSession();
  const [isApp, setApp] = useState(false);
  const [codes, setCodes] = useState<string[] | null>(null);
  if (codes)
    return (
      <Lobby title="Save your recovery codes">
        <RecoveryCodesNote codes={codes} done={done} />
      </Lobby>
    );
  return (
    <Lobby title="Set up a second factor">
      <p>
        {me.role === 'owner' ? 'Owners' : 'Admins'} of {me.organization.name} need an authenticator app or a passkey in{' '}
        {me.environment}.
      </p>
      {isApp ? (
        <EnrollTotp done={recovery => (recovery ? setCodes(recovery) : done())} />
      ) : (
        <button type="button" class="main" onClick={() => setApp(true)}>
          Set up an authenticator app
        </button>
      )}
      <p class="quiet">or</p>
      <EnrollPasskey done={done} />
      <p>
        <SignOut />
      </p>
    </Lobby>
  );
}
