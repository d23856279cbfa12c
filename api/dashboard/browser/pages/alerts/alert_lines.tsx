import type { Alert } from '#shared/casework/alerts.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';

const MOST = 8;

/** A few alerts, a line each; `more` is where the rest of them are. */
export const AlertLines = ({ alerts, none, more }: { alerts: Alert[]; none: string; more: string }) =>
  alerts.length === 0 ? (
    <p class="quiet">{none}</p>
  ) : (
    <>
      <ul class="lines graded">
        {alerts.slice(0, MOST).map(({ id, severity, title, state, created_at }) => (
          <li key={id}>
            <Badge of={severity} />
            <span>
              <a href={`/alerts/${id}`}>{title}</a>{' '}
              <span class="quiet">
                {state}, <Time at={created_at} ago />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {alerts.length > MOST && (
        <p>
          <a href={more}>View all</a>
        </p>
      )}
    </>
  );
