import { useState } from 'preact/hooks';
import { AssigneeField, useMembers } from '#api/dashboard/browser/parts/assignee.tsx';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Choice, Form } from '#api/dashboard/browser/parts/form.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import type { Offer } from '#api/dashboard/browser/parts/use_undo.tsx';
import { change } from '#api/dashboard/browser/reading/operations.ts';
import { type Problem, problemOf } from '#api/dashboard/browser/reading/problem.ts';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import type { SomeIncident } from './use_incident_action.tsx';

type Assigned = Pick<SomeIncident, 'id' | 'assignee_id'>;

/**
 * Assigning incidents: `ask` opens the dialog for some of them, `give` assigns them at once, and `take` to the reader. `after` hears which
 * were assigned; `offer` is handed what undoes it.
 */
export function useAssign(offer: (offer: Offer) => void, after: (incidents: readonly Assigned[]) => void) {
  const { me } = useSession();
  const [asked, ask] = useState<readonly Assigned[]>([]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const give = async (incidents: readonly Assigned[], to: string | null) => {
    setBusy(true);
    const { given, taken, refused } = await assignAll(incidents, to);
    setBusy(false);
    setProblem(refused);
    if (given.length > 0) offer({ text: assignedText(given.length, to, me.user.id), undo: () => giveBack(given, to) });
    if (refused) {
      // The dialog does not know to whom incidents changed meanwhile are assigned now.
      ask(open => open.filter(({ id }) => !taken.includes(id) && !given.some(done => done.id === id)));
      return;
    }
    // The dialog for others may have been opened meanwhile.
    ask(open => (open === incidents ? [] : open));
    after(incidents);
  };
  const close = () => {
    ask([]);
    setProblem(null);
  };
  return {
    ask,
    give: (incidents: readonly Assigned[], to: string | null) => void give(incidents, to),
    take: (incidents: readonly Assigned[]) => void give(incidents, me.user.id),
    busy,
    shown:
      asked.length > 0 ? (
        <AssignDialog incidents={asked} give={to => give(asked, to)} busy={busy} problem={problem} close={close} />
      ) : (
        <ProblemNote problem={problem} />
      ),
  };
}

function AssignDialog({
  incidents,
  give,
  busy,
  problem,
  close,
}: {
  incidents: readonly Assigned[];
  give: (to: string | null) => Promise<void>;
  busy: boolean;
  problem: Problem | null;
  close: () => void;
}) {
  const { me } = useSession();
  const members = useMembers();
  const [to, setTo] = useState(me.user.id);
  const title = incidents.length === 1 ? 'Assign incident' : `Assign ${countText(incidents.length)} incidents`;
  return (
    <Dialog title={title} close={close}>
      <Form send={() => give(to || null)} busy={busy} problem={problem} button={title} cancel={close}>
        <Choice label="Assignee" value={to} set={setTo} of={members} none="Unassigned" />
      </Form>
    </Dialog>
  );
}

/** To whom an incident is assigned, to be read and changed. */
export const IncidentAssignee = ({
  incident,
  assigning,
}: {
  incident: SomeIncident;
  assigning: ReturnType<typeof useAssign>;
}) => (
  <div class="assignee">
    <span class="quiet">Assignee</span>
    <AssigneeField value={incident.assignee_id} busy={assigning.busy} assign={to => assigning.give([incident], to)} />
  </div>
);

/** Assigns one after the other, each only if it is still assigned as it was seen to be; `taken` are those that are not. */
async function assignAll(incidents: readonly Assigned[], to: string | null) {
  const given: Assigned[] = [];
  const taken: string[] = [];
  let refused: Problem | null = null;
  for (const { id, assignee_id } of incidents)
    try {
      const body = { assignee_id: to, from: assignee_id };
      if (assignee_id !== to) await change('PUT /v1/incidents/{id}/assignee', { params: { id }, body });
      if (assignee_id !== to) given.push({ id, assignee_id });
    } catch (thrown) {
      refused = problemOf(thrown);
      if (refused.status === 409) taken.push(id);
    }
  await refreshAll();
  return { given, taken, refused };
}

/** Gives incidents back to whom they were assigned before. Throws Problem where somebody else was faster, once the others are given back. */
async function giveBack(given: readonly Assigned[], from: string | null): Promise<void> {
  let refused: Problem | null = null;
  for (const { id, assignee_id } of given)
    try {
      await change('PUT /v1/incidents/{id}/assignee', { params: { id }, body: { assignee_id, from } });
    } catch (thrown) {
      refused = problemOf(thrown);
    }
  await refreshAll();
  if (refused) throw refused;
}

function assignedText(count: number, to: string | null, me: string): string {
  const what = count === 1 ? 'Incident' : `${countText(count)} incidents`;
  if (to === null) return `${what} unassigned.`;
  return `${what} assigned${to === me ? ' to you' : ''}.`;
}
