import type { IncidentDetail } from '#shared/casework/incidents.ts';
import { alertActions } from '#api/dashboard/browser/pages/alerts/alert_action_names.ts';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';

/** What was done with the alerts of an incident, newest first; what was done with several at once is one line. */
export function IncidentHistory({ incident: { alerts, created_at } }: { incident: IncidentDetail }) {
  const actions = alerts.flatMap(alert => alert.actions);
  const acts = [...Map.groupBy(actions, ({ at, action, actor_id }) => `${at} ${action} ${actor_id}`).values()];
  return (
    <ol class="timeline">
      {acts
        .flatMap(of => of.slice(0, 1).map(first => ({ ...first, count: of.length })))
        .toSorted((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id))
        .map(({ id, action, actor_id, reason, at, count }) => (
          <li key={id}>
            <span>
              <ActorName id={actor_id} /> {alertActions.find(({ name }) => name === action)?.done ?? action}{' '}
              {count === 1 ? '1 alert' : `${countText(count)} alerts`}
            </span>
            <Time at={at} ago />
            {reason && <p class="said">{reason}</p>}
          </li>
        ))}
      <li>
        <span>First alert raised</span>
        <Time at={created_at} ago />
      </li>
    </ol>
  );
}
