import type { Acting } from '#api/dashboard/browser/pages/alerts/use_alert_action.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { Loaded } from '#api/dashboard/browser/parts/page.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { IncidentAssignee, type useAssign } from './assign.tsx';
import { IncidentReasons } from './incident_reasons.tsx';
import { IncidentTotals } from './incident_totals.tsx';
import { SnoozeButton, type useSnooze } from './snooze.tsx';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { IncidentButtons, type SomeIncident } from './use_incident_action.tsx';

const MOST_REASONS = 3;

/** The incident that the mark is at, beside the queue: enough to decide by. */
export function IncidentPanel({
  incident,
  acting,
  snoozing,
  assigning,
}: {
  incident: SomeIncident;
  acting: Acting<SomeIncident>;
  snoozing: ReturnType<typeof useSnooze>;
  assigning: ReturnType<typeof useAssign>;
}) {
  const reading = useReading('GET /v1/incidents/{id}', { params: { id: incident.id } });
  return (
    <aside class="card panel" aria-label="Selected incident">
      <h2>
        <a href={`/incidents/${incident.id}`}>{isolated(incident.title)}</a>
      </h2>
      <IncidentTotals of={reading.data ?? incident} />
      <div class="actions">
        <IncidentButtons incident={reading.data ?? incident} acting={acting} />
        <SnoozeButton incident={reading.data ?? incident} snoozing={snoozing} />
      </div>
      <IncidentAssignee incident={reading.data ?? incident} assigning={assigning} />
      <Loaded reading={reading}>
        {({ id, agent_id, alerts, alert_count }) => (
          <>
            <IncidentReasons alerts={alerts.slice(0, MOST_REASONS)} agents={agent_id === null} />
            {alert_count > MOST_REASONS && (
              <p>
                <a href={`/incidents/${id}`}>View all {countText(alert_count)} alerts</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </aside>
  );
}
