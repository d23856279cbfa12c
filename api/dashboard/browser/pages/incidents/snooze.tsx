import { useState } from 'preact/hooks';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { countText, shortTime } from '#api/dashboard/browser/parts/format.ts';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { change } from '#api/dashboard/browser/reading/operations.ts';
import { type Problem, problemOf } from '#api/dashboard/browser/reading/problem.ts';
import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import type { SomeIncident } from './use_incident_action.tsx';

const HOUR = 3_600_000;

/** Snoozing incidents: `ask` opens the dialog for some of them, `wake` ends it for some; `after` hears which were snoozed. */
export function useSnooze(after: (snoozed: readonly SomeIncident[]) => void) {
  const [asked, setAsked] = useState<readonly SomeIncident[]>([]);
  // Those of one dialog are undone together, however often it was tried.
  const [snoozed, setSnoozed] = useState<readonly SomeIncident[]>([]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const each = async (incidents: readonly SomeIncident[], act: (incident: SomeIncident) => Promise<unknown>) => {
    setBusy(true);
    const { done, refused } = await oneByOne(incidents, act);
    setBusy(false);
    setProblem(refused);
    return done;
  };
  const snooze = async (until: string) => {
    const done = await each(asked, ({ id, alert_count }) =>
      change('PUT /v1/incidents/{id}/snooze', { params: { id }, body: { until, alert_count } }),
    );
    const left = asked.filter(incident => !done.includes(incident));
    const all = [...snoozed, ...done];
    // What was refused stays in the dialog, which says why.
    if (left.length === 0) return end(all);
    setAsked(left);
    setSnoozed(all);
  };
  const wake = (incidents: readonly SomeIncident[]) =>
    each(incidents, ({ id }) => change('DELETE /v1/incidents/{id}/snooze', { params: { id } }));
  const ask = (incidents: readonly SomeIncident[]) => {
    setAsked(incidents);
    setSnoozed([]);
    setProblem(null);
  };
  function end(all: readonly SomeIncident[]) {
    ask([]);
    if (all.length > 0) after(all);
  }
  return {
    ask,
    wake,
    shown:
      asked.length > 0 ? (
        <SnoozeDialog incidents={asked} snooze={snooze} busy={busy} problem={problem} close={() => end(snoozed)} />
      ) : (
        <ProblemNote problem={problem} />
      ),
  };
}

function SnoozeDialog({
  incidents,
  snooze,
  busy,
  problem,
  close,
}: {
  incidents: readonly SomeIncident[];
  snooze: (until: string) => Promise<void>;
  busy: boolean;
  problem: Problem | null;
  close: () => void;
}) {
  const [first, ...others] = incidents;
  const isOne = others.length === 0;
  return (
    <Dialog title={isOne ? 'Snooze incident' : `Snooze ${countText(incidents.length)} incidents`} close={close}>
      {isOne && <p>{isolated(first?.title ?? '')}</p>}
      <p class="quiet">
        {isOne ? 'The incident' : 'Each'} leaves the queue until then, or until it gets another alert or becomes more
        severe.
      </p>
      <ProblemNote problem={problem} />
      <form class="snooze-times" onSubmit={event => event.preventDefault()}>
        {times(new Date()).map(([label, until]) => (
          <button key={label} type="button" disabled={busy} onClick={() => void snooze(until.toISOString())}>
            <span>{label}</span> <small class="quiet">{shortTime(until.getTime())}</small>
          </button>
        ))}
      </form>
    </Dialog>
  );
}

/** Does one after the other; what was `refused` is the last that was. */
async function oneByOne(incidents: readonly SomeIncident[], act: (incident: SomeIncident) => Promise<unknown>) {
  const done: SomeIncident[] = [];
  let refused: Problem | null = null;
  for (const incident of incidents)
    try {
      await act(incident);
      done.push(incident);
    } catch (thrown) {
      refused = problemOf(thrown);
    }
  await refreshAll();
  return { done, refused };
}

/** What was snoozed, in words. */
export const snoozedText = (count: number): string =>
  count === 1 ? 'Incident snoozed.' : `${countText(count)} incidents snoozed.`;

/** In the reader's zone; the working day begins at nine, the week on Monday. On a Sunday, tomorrow is next week. */
function times(now: Date): [label: string, until: Date][] {
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
  const isSunday = now.getDay() === 0;
  return [
    ['1 hour', new Date(now.getTime() + HOUR)],
    ['4 hours', new Date(now.getTime() + 4 * HOUR)],
    ['Tomorrow', morning(1)],
    ...(isSunday ? [] : [['Next week', morning(8 - now.getDay())] as [string, Date]]),
  ];
}

/** Snoozes an open incident, or brings it back. */
export const SnoozeButton = ({
  incident,
  snoozing,
}: {
  incident: SomeIncident;
  snoozing: ReturnType<typeof useSnooze>;
}) =>
  incident.state === 'closed' ? null : incident.snoozed_until ? (
    <button type="button" onClick={() => void snoozing.wake([incident])}>
      Unsnooze
    </button>
  ) : (
    <button type="button" onClick={() => snoozing.ask([incident])}>
      Snooze
    </button>
  );
