import type { BodyOf } from '#api/client/call.ts';
import type { CaseStatus } from '#shared/casework/case_timeline.ts';
import type { Case } from '#shared/casework/cases.ts';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { useUndo } from '#api/dashboard/browser/parts/use_undo.tsx';
import { ask, change } from '#api/dashboard/browser/reading/operations.ts';
import { Problem } from '#api/dashboard/browser/reading/problem.ts';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';

/** Hears that a case was moved: as it was before, and to which status. */
export type Moved = (before: Case, to: CaseStatus) => void;

/** Offers to undo the last change of a case's status; the timeline keeps both. */
export function useStatusUndo() {
  const { offer, shown } = useUndo({ keyed: true });
  const { me } = useSession();
  const moved: Moved = (before, to) =>
    offer({ text: `Case moved to ${wordsOf(to).toLowerCase()}.`, undo: () => undoStatus(before, to, me.user.id) });
  return { moved, shown };
}

/** Puts a case back into the status that it had, if the reader was the last to change it. Throws Problem where it was not so. */
async function undoStatus({ id, status, closing_note }: Case, to: CaseStatus, user_id: string): Promise<void> {
  const go = (body: BodyOf<'POST /v1/cases/{id}/status'>) =>
    change('POST /v1/cases/{id}/status', { params: { id }, body });
  try {
    const now = await ask('GET /v1/cases/{id}', { params: { id } }, null);
    const last = now?.data.timeline.findLast(entry => entry.kind === 'status_changed');
    if (last?.actor_id !== user_id || last.to !== to) throw changedSince();
    // A closed case is reopened into investigation.
    if (to === 'closed') await go({ status: 'investigating', from: to });
    const from = to === 'closed' ? 'investigating' : to;
    if (status === 'closed') await go({ status, from, ...(closing_note !== null && { closing_note }) });
    else if (status !== from) await go({ status, from });
  } finally {
    await refreshAll();
  }
}

const changedSince = () =>
  new Problem(409, {
    error: { code: 'conflict', message: 'Someone else has changed the status since. Nothing was undone.' },
    request_id: '',
  });
