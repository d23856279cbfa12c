import { useState } from 'preact/hooks';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import type { NotificationTest } from '#shared/people/test_notification.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

/** Where notifications go: to a Slack-compatible incoming webhook, or by email. */
export function NotificationWebhook({ host }: { host: string | null }) {
  const [url, setUrl] = useState('');
  const [asking, setAsking] = useState(false);
  const save = useChange('PUT /v1/me/notifications/webhook');
  const remove = useChange('DELETE /v1/me/notifications/webhook');
  const send = async () => {
    if (!(await save.run({ body: { url: url.trim() } }))) return;
    setUrl('');
    setAsking(false);
  };
  const test = useChange('POST /v1/me/notifications/test', { refresh: false });
  const [tested, setTested] = useState<NotificationTest | null>(null);
  const sendTest = async () => {
    setTested(null);
    setTested(await test.run({}));
  };
  if (asking)
    return (
      <Form send={send} busy={save.busy} problem={save.problem} button="Save webhook" cancel={() => setAsking(false)}>
        <TextField
          label="Incoming webhook URL"
          hint="From Slack, Mattermost, or any service that takes the same. It is stored encrypted and not shown again."
          type="url"
          value={url}
          set={setUrl}
          required
          maxLength={2_048}
          placeholder="https://hooks.slack.com/services/…"
          problem={save.problem?.at('/url')}
        />
      </Form>
    );
  return (
    <div>
      <p>
        {host ? (
          <>
            Sent to the incoming webhook at <strong>{host}</strong>, and by email if that fails.
          </>
        ) : (
          'Sent by email.'
        )}
      </p>
      <ProblemNote problem={remove.problem ?? test.problem} />
      <div class="actions">
        <button type="button" onClick={() => setAsking(true)}>
          {host ? 'Replace webhook' : 'Send to Slack'}
        </button>
        {host && (
          <button type="button" disabled={remove.busy} onClick={() => void remove.run({})}>
            Send by email
          </button>
        )}
        <button type="button" disabled={test.busy} onClick={() => void sendTest()}>
          {test.busy ? 'Sending…' : 'Send a test message'}
        </button>
      </div>
      <p role="status">{tested && <Tested of={tested} />}</p>
    </div>
  );
}

/** What came of a test, with the status that the webhook answered. */
function Tested({ of: { channel, delivered, status, error } }: { of: NotificationTest }) {
  if (delivered)
    return channel === 'email' ? <>Sent. Check your email.</> : <>Delivered: the webhook responded with {status}.</>;
  return (
    <strong class="wrong">
      Not delivered: {status === null ? (error ?? 'no response') : `the webhook responded with ${status}`}.
    </strong>
  );
}
