import type { Alert } from '#shared/casework/alerts.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { AlertHistory } from './alert_history.tsx';
import { Explanation } from './explanation.tsx';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { type Acting, AlertButtons } from './use_alert_action.tsx';

/** The alert that the mark is at, beside the queue: enough to decide by. */
export const AlertPanel = ({ alert, acting }: { alert: Alert; acting: Acting<Alert> }) => (
  <aside class="card panel" aria-label="Selected alert">
    <h2>
      <a href={`/alerts/${alert.id}`}>{isolated(alert.title)}</a>
    </h2>
    <p class="totals">
      <Badge of={alert.severity} />
      <Badge of={alert.state} />
      <span>
        Score <strong>{alert.score}</strong>
      </span>
    </p>
    <p class="quiet">
      {wordsOf(alert.detector)} · <AgentName id={alert.agent_id} />
    </p>
    <Explanation text={alert.explanation} />
    <div class="actions">
      <AlertButtons alert={alert} acting={acting} />
    </div>
    <p>
      <a href={`/alerts/${alert.id}`}>
        {alert.event_ids.length === 1 ? 'View related payment' : `View ${alert.event_ids.length} related events`}
      </a>
      {alert.case_id && (
        <>
          {' '}
          · <a href={`/cases/${alert.case_id}`}>View case</a>
        </>
      )}
    </p>
    <AlertHistory alert={alert} />
  </aside>
);
