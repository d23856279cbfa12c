import { startAuthentication } from '@simplewebauthn/browser';
import { useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { Lobby } from './lobby.tsx';
import { passkeyFault } from './passkey_fault.ts';
import { SignOut } from './sign_out.tsx';

type PasskeyAssertion = BodyOf<'POST /v1/second-factor/passkeys/verify'>['response'];

/** Asks for the second factor of whoever has one: a code, a passkey, or one of the codes for when both are lost. */
export function SecondFactorGate({ done }: { done: () => void }) {
  const { data: factors } = useReading('GET /v1/second-factor', {}, STILL);
  return (
    <Lobby title="Verify it’s you">
      {factors && factors.passkeys.length > 0 && <ShowPasskey done={done} />}
      <ShowCode done={done} />
      <p>
        <SignOut />
      </p>
    </Lobby>
  );
}

function ShowCode({ done }: { done: () => void }) {
  const [code, setCode] = useState('');
  const [recovery, setRecovery] = useState(false);
  const { run, busy, problem } = useChange('POST /v1/second-factor/verify');
  const send = async () => {
    const typed = code.trim();
    if (await run({ body: recovery ? { recovery_code: typed } : { code: typed } })) done();
  };
  return (
    <Form send={send} busy={busy} problem={problem} button="Verify">
      {recovery ? (
        <TextField
          key="recovery"
          label="Recovery code"
          hint="Each code works once."
          value={code}
          set={setCode}
          required
          autoComplete="off"
        />
      ) : (
        <TextField
          key="app"
          label="Code from your authenticator app"
          value={code}
          set={setCode}
          required
          autoFocus
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={10}
        />
      )}
      <p>
        <button
          type="button"
          class="link"
          onClick={() => {
            setRecovery(!recovery);
            setCode('');
          }}
        >
          {recovery ? 'Use your authenticator app' : 'Use a recovery code'}
        </button>
      </p>
    </Form>
  );
}

function ShowPasskey({ done }: { done: () => void }) {
  const challenge = useChange('POST /v1/second-factor/passkeys/challenge');
  const shown = useChange('POST /v1/second-factor/passkeys/verify');
  const [fault, setFault] = useState<string | null>(null);
  const show = async () => {
    setFault(null);
    const options = await challenge.run({});
    if (!options) return;
    try {
      const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'];
      const response = (await startAuthentication({ optionsJSON })) as unknown as PasskeyAssertion;
      if (await shown.run({ body: { response } })) done();
    } catch (error) {
      setFault(passkeyFault(error));
    }
  };
  return (
    <>
      <p>
        <button type="button" class="main" disabled={challenge.busy || shown.busy} onClick={() => void show()}>
          Use a passkey
        </button>
      </p>
      <ProblemNote problem={challenge.problem ?? shown.problem} />
      {fault && (
        <p class="problem" role="alert">
          {fault}
        </p>
      )}
      <p class="quiet">or</p>
    </>
  );
}
