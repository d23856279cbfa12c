import { useState } from 'preact/hooks';
import type { CaseStatus } from '#shared/casework/case_timeline.ts';
import type { Case } from '#shared/casework/cases.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import type { Moved } from './undo_status.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

/** Where a case may go from each status. */
const next: Record<CaseStatus, { to: CaseStatus; label: string }[]> = {
  open: [
    { to: 'investigating', label: 'Start investigation' },
    { to: 'closed', label: 'Close case' },
  ],
  investigating: [
    { to: 'open', label: 'Move back to open' },
    { to: 'closed', label: 'Close case' },
  ],
  closed: [{ to: 'investigating', label: 'Reopen case' }],
};

/** The buttons that change the status of a case. Closing asks for a note. */
export function CaseStatusButtons({ of, moved }: { of: Case; moved: Moved }) {
  const { go, busy, shown } = useStatus(of, moved);
  return (
    <>
      {next[of.status].map(({ to, label }) => (
        <button key={to} type="button" disabled={busy} onClick={() => go(to)}>
          {label}
        </button>
      ))}
      {shown}
    </>
  );
}

/** The status as a choice, where there is little room. */
export function CaseStatusSelect({ of, moved }: { of: Case; moved: Moved }) {
  const { go, busy, shown } = useStatus(of, moved);
  const choose = (event: { currentTarget: HTMLSelectElement }) => {
    const to = next[of.status].find(({ to }) => to === event.currentTarget.value)?.to;
    // Until it has moved it stands where it is.
    event.currentTarget.value = of.status;
    if (to) go(to);
  };
  return (
    <>
      <select aria-label={`Status of ${of.title}`} disabled={busy} value={of.status} onChange={choose}>
        <option value={of.status}>{wordsOf(of.status)}</option>
        {next[of.status].map(({ to, label }) => (
          <option key={to} value={to}>
            {label}
          </option>
        ))}
      </select>
      {shown}
    </>
  );
}

function useStatus(before: Case, moved: Moved) {
  const { id, title } = before;
  const { run, busy, problem, clear } = useChange('POST /v1/cases/{id}/status');
  const [closing, setClosing] = useState(false);
  const change = async (status: CaseStatus, closing_note: string) => {
    const after = await run({ params: { id }, body: { status, ...(closing_note && { closing_note }) } });
    if (after) moved(before, status);
    return after;
  };
  return {
    busy,
    go: (to: CaseStatus) => (to === 'closed' ? setClosing(true) : void change(to, '')),
    shown: closing ? (
      <Confirm
        title="Close case"
        button="Close case"
        reason={{ label: 'Closing note (optional)', needed: false }}
        act={note => change('closed', note)}
        busy={busy}
        problem={problem}
        close={() => {
          setClosing(false);
          clear();
        }}
      >
        <p>{title}</p>
        <p class="quiet">
          The note is kept in the timeline and in packs of this case. Alerts are not changed. You can reopen the case.
        </p>
      </Confirm>
    ) : (
      <ProblemNote problem={problem} />
    ),
  };
}
