import { useState } from 'preact/hooks';
import { signOut } from '#api/client/generated.ts';
import { useChange } from '../reading/use_change.ts';
import { useSession } from '../session.tsx';
import { EnrollPasskey } from './enroll_passkey.tsx';
import { EnrollTotp } from './enroll_totp.tsx';
import { Lobby } from './lobby.tsx';
import { RecoveryCodesNote } from './recovery_codes.tsx';

/** Has whoever needs a second factor here, and has none, set one up. */
export function EnrollGate({ done }: { done: () => void }) {
  const { me } = useSession();
  const [codes, setCodes] = useState<string[] | null>(null);
  const leave = useChange(signOut);
  if (codes)
    return (
      <Lobby title="Your recovery codes">
        <RecoveryCodesNote codes={codes} done={done} />
      </Lobby>
    );
  return (
    <Lobby title="Set up a second factor">
      <p>
        {me.role === 'owner' ? 'Owners' : 'Admins'} of {me.organization.name} need one in {me.environment}: an
        authenticator app or a passkey.
      </p>
      <EnrollTotp done={recovery => (recovery ? setCodes(recovery) : done())} />
      <p class="quiet">or</p>
      <EnrollPasskey done={done} />
      <p>
        <button type="button" class="link" onClick={() => void leave.run({})}>
          Sign out
        </button>
      </p>
    </Lobby>
  );
}
