import { useState } from 'preact/hooks';
import type { SecondFactor } from '#shared/people/second_factors.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Facts, Loaded } from '#api/dashboard/browser/parts/page.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { EnrollPasskey } from '#api/dashboard/browser/sign_in/enroll_passkey.tsx';
import { EnrollTotp } from '#api/dashboard/browser/sign_in/enroll_totp.tsx';
import { RecoveryCodesNote } from '#api/dashboard/browser/sign_in/recovery_codes.tsx';
import { Passkeys, RemoveTotp } from './factor_removal.tsx';

type Doing = 'app' | 'passkey' | 'remove_app' | 'codes' | null;

/** The second factors one has: an authenticator app, passkeys, and codes for when both are lost. */
export function SecondFactorSection() {
  const reading = useReading('GET /v1/second-factor', {}, STILL);
  const [doing, setDoing] = useState<Doing>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  // What is known is asked for again only when the codes were read: they are shown once.
  const done = () => {
    setDoing(null);
    setCodes(null);
    void refreshAll();
  };
  return (
    <>
      <Loaded reading={reading}>{factor => <Factors of={factor} begin={setDoing} />}</Loaded>
      {codes ? (
        <Dialog title="Save your recovery codes" close={done} firm>
          <RecoveryCodesNote codes={codes} done={done} />
        </Dialog>
      ) : doing === 'app' ? (
        <Dialog title={reading.data?.totp ? 'Replace authenticator app' : 'Add authenticator app'} close={done}>
          {reading.data?.totp && <p class="note">This replaces your current app and ends your other sessions.</p>}
          <EnrollTotp done={recovery => (recovery ? setCodes(recovery) : done())} />
        </Dialog>
      ) : doing === 'passkey' ? (
        <Dialog title="Add passkey" close={done}>
          <EnrollPasskey done={done} />
        </Dialog>
      ) : doing === 'remove_app' ? (
        <RemoveTotp close={done} />
      ) : (
        doing === 'codes' && <NewCodes take={setCodes} close={() => setDoing(null)} />
      )}
    </>
  );
}

function Factors({ of, begin }: { of: SecondFactor; begin: (doing: Doing) => void }) {
  const none = of.totp === null && of.passkeys.length === 0;
  return (
    <>
      {none && (
        <p class={of.required ? 'note' : 'quiet'}>
          Not set up.{' '}
          {of.required
            ? 'Your role requires one here.'
            : 'It keeps your account safe even if someone can read your email.'}
        </p>
      )}
      {!none && (
        <Facts
          of={[
            [
              'Authenticator app',
              of.totp ? (
                <>
                  Added <Time at={of.totp.created_at} />
                </>
              ) : (
                'None'
              ),
            ],
            ['Passkeys', of.passkeys.length || 'None'],
            ['Recovery codes left', of.recovery_codes_left],
            ['This session', of.shown ? 'Verified' : 'Not verified'],
          ]}
        />
      )}
      <Passkeys of={of.passkeys} />
      <div class="actions after-table">
        <button type="button" onClick={() => begin('app')}>
          {of.totp ? 'Replace authenticator app' : 'Add authenticator app'}
        </button>
        {of.totp && (
          <button type="button" class="danger" onClick={() => begin('remove_app')}>
            Remove authenticator app
          </button>
        )}
        <button type="button" onClick={() => begin('passkey')}>
          Add passkey
        </button>
        {!none && (
          <button type="button" onClick={() => begin('codes')}>
            Replace recovery codes
          </button>
        )}
      </div>
    </>
  );
}

function NewCodes({ take, close }: { take: (codes: string[]) => void; close: () => void }) {
  const { run, busy, problem } = useChange('POST /v1/second-factor/recovery-codes', { refresh: false });
  const act = async () => {
    const answer = await run({});
    if (answer) take(answer.recovery_codes);
    // The dialog of the codes takes the place of this one.
    return null;
  };
  return (
    <Confirm
      title="Replace recovery codes"
      button="Replace codes"
      act={act}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>You get ten new codes. Your current codes stop working.</p>
    </Confirm>
  );
}
