import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import type { Case } from '#shared/casework/cases.ts';
import { useMembers } from '#api/dashboard/browser/parts/assignee.tsx';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Choice, Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { shortened, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { casePriorities } from './case_words.ts';

type CasePriority = Case['priority'];

const LONGEST_TITLE = 200;

/** Opens a case; the address may name an alert, an event or an agent that it is about. Then goes to it. */
export function NewCaseDialog() {
  const { query, set } = useQuery();
  const { route } = useLocation();
  const { run, busy, problem } = useChange('POST /v1/cases');
  const { alert_id, event_id, agent_id } = query;
  const { data: alert } = useReading('GET /v1/alerts/{id}', alert_id ? { params: { id: alert_id } } : null, STILL);
  const { data: agent } = useReading(
    'GET /v1/agents/{id}',
    agent_id && !alert_id ? { params: { id: agent_id } } : null,
    STILL,
  );
  const [title, setTitle] = useState('');
  const [priority, setPriority] = useState<CasePriority>('medium');
  const [assignee, setAssignee] = useState('');
  const members = useMembers();
  const about =
    alert?.title ?? (agent ? `Review of ${agent.name ?? agent.external_id ?? shortened(agent.id)}` : undefined);
  useEffect(() => {
    if (about) setTitle(title => title || about.slice(0, LONGEST_TITLE));
    if (alert) setPriority(alert.severity);
  }, [about]);
  const close = () => set({ new: undefined, alert_id: undefined, event_id: undefined });
  const send = async () => {
    const created = await run({
      body: {
        title,
        priority,
        ...(assignee && { assignee_id: assignee }),
        ...(alert_id && { alert_ids: [alert_id] }),
        ...(event_id && { event_ids: [event_id] }),
      },
    });
    if (created) route(`/cases/${created.id}`, true);
  };
  return (
    <Dialog title="New case" close={close}>
      <Form send={send} busy={busy} problem={problem} button="Create case" cancel={close}>
        {(alert_id || event_id) && (
          <p class="note">
            Linked to {alert_id ? `alert “${alert?.title ?? shortened(alert_id)}”` : ''}
            {alert_id && event_id ? ' and ' : ''}
            {event_id ? `event ${shortened(event_id)}` : ''}.
          </p>
        )}
        {agent_id && !alert_id && !event_id && (
          <p class="note">Once the case is open, add this agent’s alerts and events to it.</p>
        )}
        <TextField
          label="Title"
          value={title}
          set={setTitle}
          required
          maxLength={LONGEST_TITLE}
          autoFocus
          placeholder="What to investigate"
          problem={problem?.at('/title')}
        />
        <div class="field-row">
          <Choice
            label="Priority"
            value={priority}
            set={value => setPriority(casePriorities.find(one => one === value) ?? 'medium')}
            of={casePriorities.map(one => [one, wordsOf(one)] as const)}
          />
          <Choice label="Assignee" value={assignee} set={setAssignee} of={members} none="Unassigned" />
        </div>
      </Form>
    </Dialog>
  );
}
