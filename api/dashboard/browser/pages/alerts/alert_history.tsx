import type { Alert } from '#shared/casework/alerts.ts';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { alertActions } from './alert_action_names.ts';

/** What was done with an alert, newest first, down to when it was raised. */
export const AlertHistory = ({ alert }: { alert: Alert }) => (
  <ol class="timeline">
    {alert.actions
      .toSorted((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id))
      .map(({ id, action, actor_id, reason, at }) => (
        <li key={id}>
          <span>
            <ActorName id={actor_id} /> {alertActions.find(({ name }) => name === action)?.done ?? action}
          </span>
          <Time at={at} ago />
          {reason && <p class="said">{reason}</p>}
        </li>
      ))}
    <li>
      <span>
        Raised by <a href={`/detectors/${alert.detector}`}>{wordsOf(alert.detector)}</a>
      </span>
      <Time at={alert.created_at} ago />
    </li>
  </ol>
);
