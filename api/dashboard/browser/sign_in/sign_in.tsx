import { useState } from 'preact/hooks';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { Lobby } from './lobby.tsx';

/** Asks for an address (of somebody whose session has `ended`, for example), has a link sent there, and takes the code of whoever opened the link elsewhere. */
export function SignIn({ signedIn, ended }: { signedIn: () => void; ended: boolean }) {
  const [sent, setSent] = useState<string | null>(null);
  return sent === null ? (
    <AskForLink sent={setSent} ended={ended} />
  ) : (
    <LinkSent email={sent} signedIn={signedIn} again={() => setSent(null)} />
  );
}

function AskForLink({ sent, ended }: { sent: (email: string) => void; ended: boolean }) {
  const [email, setEmail] = useState('');
  const { run, busy, problem } = useChange('POST /v1/sign-in');
  const send = async () => {
    if (await run({ body: { email: email.trim() } })) sent(email.trim());
  };
  return (
    <Lobby title="Sign in">
      {ended && (
        <p class="note" role="status">
          Your session has ended. Sign in again to return to this page.
        </p>
      )}
      <p>We’ll email you a sign-in link. No password needed.</p>
      <Form send={send} busy={busy} problem={problem} button="Send sign-in link">
        <TextField
          label="Email address"
          type="email"
          value={email}
          set={setEmail}
          required
          autoFocus
          autoComplete="email"
          problem={problem?.at('/email')}
        />
      </Form>
      <details>
        <summary>Setting up the first account?</summary>
        <p>The operator of the service creates it on the command line:</p>
        <pre tabIndex={0}>{`npm run -s admin -- org create --name Acme
npm run -s admin -- user create --org Acme --email ada@example.com --role owner
npm run -s admin -- sign-in-link --email ada@example.com`}</pre>
      </details>
    </Lobby>
  );
}

function LinkSent({ email, signedIn, again }: { email: string; signedIn: () => void; again: () => void }) {
  const [code, setCode] = useState('');
  const { run, busy, problem } = useChange('POST /v1/sign-in/code');
  const send = async () => {
    if (await run({ body: { code } })) signedIn();
  };
  return (
    <Lobby title="Check your email">
      <p>
        If <strong>{email}</strong> belongs to a member, a sign-in link is on its way. It works once, for ten minutes.
        Open it in this browser, and this page continues automatically.
      </p>
      <Form send={send} busy={busy} problem={problem} button="Sign in with code">
        <TextField
          label="Code"
          hint="If you open the link in another browser or on a phone, it shows an eight-character code. Enter it here."
          value={code}
          set={setCode}
          required
          autoComplete="one-time-code"
          maxLength={20}
          problem={problem?.at('/code')}
        />
      </Form>
      <p>
        <button type="button" class="link" onClick={again}>
          Use another email address
        </button>
      </p>
    </Lobby>
  );
}
