import { useState } from 'preact/hooks';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
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
      <ProblemNote problem={remove.problem} />
      <div class="actions">
        <button type="button" onClick={() => setAsking(true)}>
          {host ? 'Replace webhook' : 'Send to Slack'}
        </button>
        {host && (
          <button type="button" disabled={remove.busy} onClick={() => void remove.run({})}>
            Send by email
          </button>
        )}
      </div>
    </div>
  );
}
