import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { CaseDetail } from '#shared/casework/cases.ts';
import { AssigneeField } from '#api/dashboard/browser/parts/assignee.tsx';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { CaseLinks } from './case_links.tsx';
import { CaseStatusButtons } from './case_status.tsx';
import { CaseTimeline } from './case_timeline.tsx';
import { casePriorities } from './case_words.ts';
import { useStatusUndo } from './undo_status.ts';

/** One case: what it is about, who has it, what is linked to it, and what was done. */
export function CasePage() {
  const { id = '' } = useRoute().params;
  const reading = useReading('GET /v1/cases/{id}', { params: { id } });
  return reading.data ? (
    <OneCase key={id} record={reading.data} />
  ) : (
    <Page title="Case">
      <Loaded reading={reading}>{() => null}</Loaded>
    </Page>
  );
}

function OneCase({ record }: { record: CaseDetail }) {
  const [renaming, setRenaming] = useState(false);
  const { moved, shown } = useStatusUndo();
  return (
    <Page
      title={record.title}
      eyebrow={
        <>
          <a href="/cases">Cases</a>
        </>
      }
      actions={
        <>
          <button type="button" class="plain" onClick={() => setRenaming(true)}>
            Rename
          </button>
          <CaseStatusButtons of={record} moved={moved} />
          <a class="button main" href={`/packs?new=1&case_id=${record.id}`}>
            Build pack
          </a>
        </>
      }
    >
      {shown}
      {renaming && <Rename record={record} close={() => setRenaming(false)} />}
      {record.status === 'closed' && (
        <p class="note">
          Closed
          {record.closed_at && (
            <>
              {' '}
              on <Time at={record.closed_at} />
            </>
          )}
          {record.closing_note ? `: ${record.closing_note}` : '. No closing note.'}
        </p>
      )}
      <Settings record={record} />
      <div class="beside">
        <div>
          <CaseLinks record={record} />
        </div>
        <div>
          <Section title="Timeline">
            <CaseTimeline record={record} />
          </Section>
        </div>
      </div>
    </Page>
  );
}

/** What can be changed where it stands: the priority, and who has it. */
function Settings({ record: { id, status, priority, assignee_id, created_by, created_at } }: { record: CaseDetail }) {
  const { run, busy, problem } = useChange('PATCH /v1/cases/{id}');
  return (
    <>
      <ProblemNote problem={problem} />
      <Facts
        of={[
          ['Status', <Badge of={status} />],
          [
            'Priority',
            <select
              aria-label="Priority"
              value={priority}
              disabled={busy}
              onChange={event => {
                const chosen = casePriorities.find(one => one === event.currentTarget.value);
                if (chosen) void run({ params: { id }, body: { priority: chosen } });
              }}
            >
              {casePriorities.map(one => (
                <option key={one} value={one}>
                  {wordsOf(one)}
                </option>
              ))}
            </select>,
          ],
          [
            'Assignee',
            <AssigneeField
              value={assignee_id}
              busy={busy}
              assign={to => void run({ params: { id }, body: { assignee_id: to } })}
            />,
          ],
          [
            'Opened',
            <>
              <Time at={created_at} ago /> by <ActorName id={created_by} />
            </>,
          ],
          ['Case ID', <Copy text={id} />],
        ]}
      />
    </>
  );
}

function Rename({ record, close }: { record: CaseDetail; close: () => void }) {
  const { run, busy, problem } = useChange('PATCH /v1/cases/{id}');
  const [title, setTitle] = useState(record.title);
  const send = async () => {
    if (await run({ params: { id: record.id }, body: { title } })) close();
  };
  return (
    <Dialog title="Rename case" close={close}>
      <Form send={send} busy={busy} problem={problem} button="Rename case" cancel={close}>
        <TextField
          label="Title"
          value={title}
          set={setTitle}
          required
          maxLength={200}
          autoFocus
          problem={problem?.at('/title')}
        />
      </Form>
    </Dialog>
  );
}
