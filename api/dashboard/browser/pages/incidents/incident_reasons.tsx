import { useState } from 'preact/hooks';
import type { Alert } from '#shared/casework/alerts.ts';
import { AlertPayments } from '#api/dashboard/browser/pages/alerts/alert_payments.tsx';
import { Explanation } from '#api/dashboard/browser/pages/alerts/explanation.tsx';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';

type Reasons = {
  alerts: Alert[];
  /** Say of each which agent it is about. */
  agents: boolean;
  /** Show the payments of each, those of the only one at once. */
  payments?: boolean;
};

/** The alerts of an incident as its reasons, one after the other. The title and severity of the only one are the incident's own. */
export const IncidentReasons = ({ alerts, agents, payments }: Reasons) => (
  <ol class="reasons">
    {alerts.map(alert => (
      <Reason key={alert.id} alert={alert} isOnly={alerts.length === 1} agent={agents} payments={payments ?? false} />
    ))}
  </ol>
);

function Reason(props: { alert: Alert; isOnly: boolean; agent: boolean; payments: boolean }) {
  const { alert, isOnly, agent, payments } = props;
  const { id, severity, state, title, detector, agent_id, created_at } = alert;
  return (
    <li>
      {!isOnly && (
        <header>
          <Badge of={severity} />
          <h3>
            <a href={`/alerts/${id}`}>{isolated(title)}</a>
          </h3>
          {state !== 'open' && <Badge of={state} />}
        </header>
      )}
      <p class="quiet">
        {isOnly ? <a href={`/alerts/${id}`}>{wordsOf(detector)}</a> : wordsOf(detector)}
        {agent && (
          <>
            {' · '}
            <AgentName id={agent_id} />
          </>
        )}
        {' · '}
        <Time at={created_at} ago />
      </p>
      <Explanation text={alert.explanation} />
      {reportedSince(alert).map(({ id: comment, reason }) => (
        <p key={comment}>
          <strong>{reason}</strong>
        </p>
      ))}
      {payments && <ReasonPayments alert={alert} open={isOnly} />}
    </li>
  );
}

/** What the service says of reports that came later. */
const reportedSince = ({ actions }: Alert) =>
  actions.filter(({ action, actor_id, reason }) => action === 'comment' && actor_id === null && reason !== null);

/** The payments of an alert, read once somebody looks at them. */
function ReasonPayments({ alert, open }: { alert: Alert; open: boolean }) {
  const [isRead, read] = useState(open);
  return (
    <details open={open} onToggle={({ currentTarget }) => currentTarget.open && read(true)}>
      <summary>Related payments</summary>
      {isRead && <AlertPayments alert={alert} />}
    </details>
  );
}
