import type { Incident } from '#shared/casework/incidents.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Time, UsdPaid } from '#api/dashboard/browser/parts/values.tsx';

/** How an incident stands: open, acknowledged when somebody has seen to all of it, or closed. */
export const incidentState = ({ state, acknowledged }: Incident): string =>
  state === 'open' && acknowledged ? 'acknowledged' : state;

/** Whom an incident is about: its agent, or how many there are. */
export const IncidentAgents = ({ of: { agent_id, agent_count } }: { of: Incident }) =>
  agent_id === null ? <>{countText(agent_count)} agents</> : <AgentName id={agent_id} />;

/** What an incident comes to, in a line. */
export const IncidentTotals = ({ of }: { of: Incident }) => (
  <p class="totals">
    <Badge of={of.severity} />
    <Badge of={incidentState(of)} />
    {of.snoozed_until && (
      <span>
        Snoozed until <Time at={of.snoozed_until} />
      </span>
    )}
    <span>
      <IncidentAgents of={of} />
    </span>
    <span>
      <strong>{countText(of.alert_count)}</strong> {of.alert_count === 1 ? 'alert' : 'alerts'}
    </span>
    <span>
      <strong>{countText(of.event_count)}</strong> {of.event_count === 1 ? 'event' : 'events'}
    </span>
    {of.amount_usd_micro !== null && (
      <span>
        <strong>
          <UsdPaid micro={of.amount_usd_micro} />
        </strong>{' '}
        in payments
      </span>
    )}
    <span class="quiet">
      last activity <Time at={of.last_at} ago />
    </span>
  </p>
);
