import type { Alert } from '#shared/casework/alerts.ts';
import { Explanation } from '#api/dashboard/browser/pages/alerts/explanation.tsx';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';

/** The alerts of an incident as its reasons, one after the other. `agents`: say of each which agent it is about. */
export const IncidentReasons = ({ alerts, agents }: { alerts: Alert[]; agents: boolean }) => (
  <ol class="reasons">
    {alerts.map(({ id, severity, state, title, detector, agent_id, created_at, explanation }) => (
      <li key={id}>
        <header>
          <Badge of={severity} />
          <h3>
            <a href={`/alerts/${id}`}>{title}</a>
          </h3>
          {state !== 'open' && <Badge of={state} />}
        </header>
        <p class="quiet">
          {wordsOf(detector)}
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
