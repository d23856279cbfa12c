import type { CaseStatus } from '#shared/casework/case_timeline.ts';
import type { Case } from '#shared/casework/cases.ts';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { useUndo } from '#api/dashboard/browser/parts/use_undo.tsx';
import { change } from '#api/dashboard/browser/reading/operations.ts';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';

/** Hears that a case was moved: as it was before, and to which status. */
export type Moved = (before: Case, to: CaseStatus) => void;

/** Offers to undo the last change of a case's status; the timeline keeps both. */
export function useStatusUndo() {
  const { offer, shown } = useUndo({ keyed: true });
  const moved: Moved = (before, to) =>
    offer({ text: `Case moved to ${wordsOf(to).toLowerCase()}.`, undo: () => undoStatus(before, to) });
  return { moved, shown };
}

/** Puts a case back into the status that it had. Throws Problem where somebody else was faster. */
async function undoStatus({ id, status, closing_note }: Case, from: CaseStatus): Promise<void> {
  const go = (body: { status: CaseStatus; closing_note?: string }) =>
    change('POST /v1/cases/{id}/status', { params: { id }, body });
  try {
    // A closed case is reopened into investigation.
    if (from === 'closed') await go({ status: 'investigating' });
    if (status === 'closed') await go({ status, ...(closing_note !== null && { closing_note }) });
    else if (from !== 'closed' || status === 'open') await go({ status });
  } finally {
    await refreshAll();
  }
}
