import type { OpsOverview } from './overview.ts';
import { ageText, NOT_KNOWN, shortTime, table } from './tables.ts';
import { type Html, html } from '#shared/platform/html.ts';

/** Organizations whose events wait longest for analysis. */
export function behindTable(behind: OpsOverview['behind'], now: number): Html {
  if (behind === null) return NOT_KNOWN;
  if (behind.length === 0) return html`<p>None</p>`;
  return table(
    'Organizations waiting for analysis',
    ['Organization', 'Id', '#Events waiting', '#Oldest'],
    behind.map(({ organization, org_id, waiting, since }) => [
      organization,
      html`<code>${org_id}</code>`,
      waiting.toLocaleString('en-US'),
      ageText(since, now),
    ]),
  );
}

/** Open storms of alerts over many agents. */
export function stormsTable(storms: OpsOverview['storms']): Html {
  if (storms === null) return NOT_KNOWN;
  if (storms.length === 0) return html`<p>None</p>`;
  return table(
    'Alert storms',
    ['Organization', 'Incident', 'Severity', '#Alerts', '#Agents', 'Last activity (UTC)'],
    storms.map(({ organization, incident_id, title, severity, alert_count, agent_count, last_at }) => [
      organization,
      html`<span class="text">${title}<br /><code>${incident_id}</code></span>`,
      severity,
      alert_count.toLocaleString('en-US'),
      agent_count.toLocaleString('en-US'),
      shortTime(last_at),
    ]),
  );
}
