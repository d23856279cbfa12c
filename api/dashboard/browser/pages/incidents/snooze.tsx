import { useState } from 'preact/hooks';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { timeText } from '#api/dashboard/browser/parts/format.ts';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import type { SomeIncident } from './use_incident_action.tsx';

const HOUR = 3_600_000;

/** Snoozing incidents: `ask` opens the dialog for one, `wake` ends it; `after` hears of what was snoozed. */
export function useSnooze(after: (incident: SomeIncident) => void) {
  const [asked, ask] = useState<SomeIncident | null>(null);
  const snooze = useChange('PUT /v1/incidents/{id}/snooze');
  const wake = useChange('DELETE /v1/incidents/{id}/snooze');
  const close = () => ask(null);
  const send = async (until: Date) => {
    if (!asked) return;
    const { id, alert_count } = asked;
    if (!(await snooze.run({ params: { id }, body: { until: until.toISOString(), alert_count } }))) return;
    close();
    after(asked);
  };
  return {
    ask,
    wake: ({ id }: SomeIncident) => wake.run({ params: { id } }),
    shown: (
      <>
        <ProblemNote problem={wake.problem} />
        {asked && (
          <Dialog title="Snooze" close={close}>
            <p class="quiet">
              The incident leaves the queue until then, or until it gets another alert or becomes more severe.
            </p>
            <ProblemNote problem={snooze.problem} />
            <form class="snooze-times" onSubmit={event => event.preventDefault()}>
              {times(new Date()).map(([label, until]) => (
                <button key={label} type="button" disabled={snooze.busy} onClick={() => void send(until)}>
                  <span>{label}</span> <small class="quiet">{timeText(until.toISOString())}</small>
                </button>
              ))}
            </form>
          </Dialog>
        )}
      </>
    ),
  };
}

/** In the reader's zone; the working day begins at nine, the week on Monday. */
function times(now: Date): [label: string, until: Date][] {
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
  return [
    ['1 hour', new Date(now.getTime() + HOUR)],
    ['4 hours', new Date(now.getTime() + 4 * HOUR)],
    ['Tomorrow', morning(1)],
    ['Next week', morning(((8 - now.getDay()) % 7) + (now.getDay() === 1 ? 7 : 0) || 7)],
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
    <button type="button" onClick={() => void snoozing.wake(incident)}>
      Unsnooze
    </button>
  ) : (
    <button type="button" onClick={() => snoozing.ask(incident)}>
      Snooze
    </button>
  );
