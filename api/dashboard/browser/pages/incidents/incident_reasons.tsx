import type { Alert } from '#shared/casework/alerts.ts';
import { Explanation } from '#api/dashboard/browser/pages/alerts/explanation.tsx';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';

/**
 * The alerts of an incident as its reasons, one after the other. `agents`: say of each which agent it is about. The title and severity of the
 * only one are the incident's own.
 */
export const IncidentReasons = ({ alerts, agents }: { alerts: Alert[]; agents: boolean }) => (
  <ol class="reasons">
    {alerts.map(({ id, severity, state, title, detector, agent_id, created_at, explanation }) => (
      <li key={id}>
        {alerts.length > 1 && (
          <header>
            <Badge of={severity} />
            <h3>
              <a href={`/alerts/${id}`}>{title}</a>
            </h3>
            {state !== 'open' && <Badge of={state} />}
          </header>
        )}
        <p class="quiet">
          {alerts.length > 1 ? wordsOf(detector) : <a href={`/alerts/${id}`}>{wordsOf(detector)}</a>}
          {agents && (
            <>
              {' · '}
              <AgentName id={agent_id} />
            </>
          )}
          {' · '}
          <Time at={created_at} ago />
        </p>
        <Explanation text={explanation} />
      </li>
    ))}
  </ol>
);
