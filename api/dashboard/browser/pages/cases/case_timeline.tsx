import { useState } from 'preact/hooks';
import type { CaseDetail } from '#shared/casework/cases.ts';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

type CaseTimelineEntry = CaseDetail['timeline'][number];

/** What happened in a case, the latest first, under a field for what there is to add. */
export function CaseTimeline({ record: { id, timeline } }: { record: CaseDetail }) {
  const { run, busy, problem } = useChange('POST /v1/cases/{id}/comments');
  const [text, setText] = useState('');
  const send = async () => {
    if (await run({ params: { id }, body: { text } })) setText('');
  };
  return (
    <>
      <Form send={send} busy={busy} problem={problem} button="Add comment">
        <TextField label="Comment" value={text} set={setText} lines={2} required maxLength={2_000} />
      </Form>
      <ol class="timeline">
        {timeline.toReversed().map(entry => (
          <li key={entry.id}>
            <span>
              <ActorName id={entry.actor_id} /> <What entry={entry} />
            </span>
            <Time at={entry.at} ago />
            {'text' in entry && entry.text && <p class="said">{entry.text}</p>}
          </li>
        ))}
      </ol>
    </>
  );
}

function What({ entry }: { entry: CaseTimelineEntry }) {
  switch (entry.kind) {
    case 'created':
      return 'opened the case';
    case 'status_changed':
      if (entry.from === entry.to) return 'added the closing note';
      return entry.to === 'closed' ? 'closed the case' : `changed the status from ${entry.from} to ${entry.to}`;
    case 'changed':
      return entry.field === 'title'
        ? `renamed the case from “${entry.from}” to “${entry.to}”`
        : `changed the priority from ${entry.from} to ${entry.to}`;
    case 'assigned':
      if (entry.to === null) return 'removed the assignee';
      if (entry.to === entry.actor_id) return 'took the case';
      return (
        <>
          assigned the case to <ActorName id={entry.to} within />
        </>
      );
    case 'commented':
      return 'commented';
    case 'linked':
      return `linked ${linkedText(entry)}`;
  }
}

function linkedText(entry: Extract<CaseTimelineEntry, { kind: 'linked' }>): string {
  const counts = [
    [entry.alert_ids, 'alert'],
    [entry.event_ids, 'event'],
    [entry.screening_ids, 'screening'],
    [entry.pack_ids, 'pack'],
  ] as const;
  return counts
    .flatMap(([ids, name]) =>
      ids?.length ? [ids.length === 1 ? `1 ${name}` : `${countText(ids.length)} ${name}s`] : [],
    )
    .join(' and ');
}
