import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Choice, Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

const types = ['person', 'organization', 'vessel', 'aircraft', 'wallet'];

/** Looks somebody up in the lists before anything is paid, and goes to what was found. */
export function ScreenName({ close }: { close: () => void }) {
  const { run, busy, problem } = useChange('POST /v1/screen');
  const { route } = useLocation();
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  const [type, setType] = useState('');
  const [country, setCountry] = useState('');
  const [born, setBorn] = useState('');
  const send = async () => {
    const fields = { name, key, type, country, date_of_birth: born };
    const payee = Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim()));
    const answer = await run({ body: { payee } });
    if (answer && 'screening' in answer) route(`/screenings/${answer.screening.id}`);
  };
  return (
    <Dialog title="Screen a name" close={close}>
      <Form send={send} busy={busy} problem={problem} button="Screen" cancel={close}>
        <p class="quiet">Enter a name, an account, or both. The result is saved. No alert is raised.</p>
        <TextField label="Name" value={name} set={setName} autoFocus problem={problem?.at('/payee/name')} />
        <TextField
          label="Account or wallet"
          value={key}
          set={setKey}
          placeholder="iban:DE89… or eip155:8453:0x…"
          problem={problem?.at('/payee/key')}
        />
        <div class="field-row">
          <Choice
            label="Type"
            value={type}
            set={setType}
            of={types.map(one => [one, wordsOf(one)] as const)}
            none="Unknown"
          />
          <TextField
            label="Country"
            value={country}
            set={setCountry}
            placeholder="DE, or Germany"
            problem={problem?.at('/payee/country')}
          />
          <TextField
            label="Date of birth"
            value={born}
            set={setBorn}
            placeholder="1957-03-10, or 1957"
            problem={problem?.at('/payee/date_of_birth')}
          />
        </div>
      </Form>
    </Dialog>
  );
}
