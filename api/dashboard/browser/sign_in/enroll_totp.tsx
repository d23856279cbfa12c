import { useEffect, useState } from 'preact/hooks';
import type { TotpSecret } from '#shared/people/totp.ts';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { Copy } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { encode } from 'uqr';

/**
 * Sets up an authenticator app. `done` is handed the recovery codes where these are the first; what the page knows is asked for again
 * only then, because the codes are shown once.
 */
export function EnrollTotp({ done }: { done: (recovery_codes: string[] | null) => void }) {
  const [secret, setSecret] = useState<TotpSecret | null>(null);
  const { run, problem } = useChange('POST /v1/second-factor/totp');
  const begin = () => {
    setSecret(null);
    void run({}).then(answer => answer && setSecret(answer));
  };
  useEffect(begin, []);
  if (secret) return <ConfirmTotp secret={secret} done={done} back={begin} />;
  if (!problem) return <p class="quiet loading">Loading…</p>;
  return (
    <>
      <ProblemNote problem={problem} />
      <button type="button" onClick={begin}>
        Try again
      </button>
    </>
  );
}

function ConfirmTotp({
  secret,
  done,
  back,
}: {
  secret: TotpSecret;
  done: (recovery_codes: string[] | null) => void;
  back: () => void;
}) {
  const [code, setCode] = useState('');
  const { run, busy, problem } = useChange('POST /v1/second-factor/totp/confirm', { refresh: false });
  const send = async () => {
    const answer = await run({ body: { code: code.trim() } });
    if (answer) done(answer.recovery_codes);
  };
  return (
    <Form send={send} busy={busy} problem={problem} button="Confirm">
      <p>Scan the QR code with your authenticator app, or enter the key by hand. Then enter the six-digit code.</p>
      <QrCode text={secret.uri} label="QR code for your authenticator app" />
      <p>
        <Copy text={secret.secret} whole label="key" />
      </p>
      <TextField
        label="Code"
        value={code}
        set={setCode}
        required
        autoFocus
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={10}
        problem={problem?.at('/code')}
      />
      <p>
        <button type="button" class="link" onClick={back}>
          Start over
        </button>
      </p>
    </Form>
  );
}

/** Text as a QR code, dark on light in both color schemes, because cameras want it so. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}
