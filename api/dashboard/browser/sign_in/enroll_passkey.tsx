import { startRegistration } from '@simplewebauthn/browser';
import { useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { passkeyFault } from './passkey_fault.ts';

type PasskeyRegistration = BodyOf<'POST /v1/second-factor/passkeys'>['response'];

/** Makes a passkey on this device. */
export function EnrollPasskey({ done }: { done: () => void }) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const begin = useChange('POST /v1/second-factor/passkeys/options');
  const enroll = useChange('POST /v1/second-factor/passkeys');
  const send = async () => {
    setFault(null);
    const options = await begin.run({});
    if (!options) return;
    try {
      const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'];
      const response = (await startRegistration({ optionsJSON })) as unknown as PasskeyRegistration;
      if (await enroll.run({ body: { name: name.trim(), response } })) done();
    } catch (error) {
      setFault(passkeyFault(error));
    }
  };
  return (
    <Form send={send} busy={begin.busy || enroll.busy} problem={begin.problem ?? enroll.problem} button="Add passkey">
      <TextField
        label="Passkey name"
        hint="A name you will recognize, such as this device’s."
        value={name}
        set={setName}
        required
        maxLength={100}
        problem={fault ?? enroll.problem?.at('/name')}
      />
    </Form>
  );
}
