import { useState } from 'preact/hooks';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { Lobby } from './lobby.tsx';

/** Asks for an address (of somebody whose session has `ended`, for example), has a link sent there, and takes the code of whoever opened the link elsewhere. `keeps`: the page they were on is still behind it. */
export function SignIn({ signedIn, ended, keeps = false }: { signedIn: () => void; ended: boolean; keeps?: boolean }) {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  return sent ? (
    <LinkSent email={email.trim()} signedIn={signedIn} again={() => setSent(false)} />
  ) : (
    <AskForLink email={email} setEmail={setEmail} sent={() => setSent(true)} ended={ended} keeps={keeps} />
  );
}

function AskForLink({
  email,
  setEmail,
  sent,
  ended,
  keeps,
}: {
  email: string;
  setEmail: (email: string) => void;
  sent: () => void;
  ended: boolean;
  keeps: boolean;
}) {
  const { run, busy, problem } = useChange('POST /v1/sign-in');
  const send = async () => {
    if (await run({ body: { email: email.trim() } })) sent();
  };
  return (
    <Lobby title="Sign in">
      {ended && (
        <p class="note" role="status">
          Your session has ended. Sign in again to continue where you left off.
          {keeps && ' What you typed stays in this tab for 10 minutes.'}
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
          problem={problem?.at('/email') && 'Enter a valid email address.'}
        />
      </Form>
      <details>
        <summary>No account yet?</summary>
        <p>To join an organization, ask one of its admins to invite you.</p>
        <p>To set up this service, open the setup link that it printed when it started.</p>
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
          Request a new link
        </button>
      </p>
    </Lobby>
  );
}
