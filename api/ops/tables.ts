import type { OpsOverview } from './overview.ts';
import { MOST_COUNTED } from '#shared/webhooks/replay_missed.ts';
import { type Html, html } from '#shared/platform/html.ts';
import { formatDuration, timestamp } from '#shared/values/time.ts';

export const NOT_KNOWN = html`<p>Temporarily unavailable</p>`;
export const UNKNOWN = html`<abbr title="Temporarily unavailable">–</abbr>`;

/** A table that scrolls sideways on a narrow screen, also by keyboard. A heading with `#` stands over numbers. */
export function table(label: string, headings: readonly string[], rows: readonly Html[][]): Html {
  const classes = headings.map(heading => heading.startsWith('#') && 'number');
  const head = headings.map(
    (heading, at) => html`<th class=${classes[at]} scope="col">${heading.replace('#', '')}</th>`,
  );
  const body = rows.map(row => html`<tr>${row.map((cell, at) => html`<td class=${classes[at]}>${cell}</td>`)}</tr>`);
  return html`<div class="table" role="region" aria-label=${label} tabindex="0"><table>
    <thead><tr>${head}</tr></thead>
    <tbody>${body}</tbody>
  </table></div>`;
}

/** How long something has waited. */
export function ageText(since: string | null | undefined, now: number): Html {
  if (since === undefined) return UNKNOWN;
  if (since === null) return 'None';
  return html`<span title=${since}>${formatDuration(Math.max(0, now - Date.parse(since)))}</span>`;
}

/** The newest failed jobs: what each was for, and why it failed. */
export function failedTable(failed: OpsOverview['failed'], mayChange: boolean): Html {
  if (failed === null) return NOT_KNOWN;
  if (failed.length === 0) return html`<p>None in the last 24 hours</p>`;
  const headings = ['Failed at (UTC)', 'Kind', 'Error and payload', 'Job', ...(mayChange ? ['Change'] : [])];
  const rows = failed.map(({ kind, id, data, error, failed_at }) => [
    shortTime(timestamp(failed_at)),
    kind,
    html`<span class="text">${error}<br /><code>${payloadText(data)}</code></span>`,
    html`<a href="/ops/queues/queue/${kind}/${encodeURIComponent(id)}">${id}</a>`,
    ...(mayChange ? [retryLink(kind, id)] : []),
  ]);
  return table('Failed jobs', headings, rows);
}

const payloadText = (data: object) =>
  Object.entries(data)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

/** Leads to the page that says what a retry does, and does it. */
export function retryLink(kind: string, id: string | null): Html {
  const path = `/ops/retry/${kind}${id === null ? '' : `/${encodeURIComponent(id)}`}`;
  const label = id === null ? `Retry all failed jobs of ${kind}` : `Retry job ${id} of ${kind}`;
  return html`<a class="button" href=${path} aria-label=${label}>${id === null ? 'Retry all' : 'Retry'}</a>`;
}

/** The processes that are there. */
export function processesTable(processes: OpsOverview['processes'], now: number): Html {
  if (processes === null) return NOT_KNOWN;
  if (processes.length === 0) return html`<p>None</p>`;
  const headings = ['Type', 'Host', 'PID', 'Version', 'Started (UTC)', '#Last seen'];
  const rows = processes.map(({ type, host, pid, version, started_at, seen_at }) => [
    html`<code>${type}</code>`,
    host,
    pid,
    version,
    shortTime(started_at),
    `${formatDuration(Math.max(0, now - Date.parse(seen_at)))} ago`,
  ]);
  return table('Processes', headings, rows);
}

const LOGS_SHOWN = 10;

/** Logs that nobody has signed, or that are not what was signed before. */
export function unsignedTable(unsigned: OpsOverview['unsigned'], now: number): Html {
  if (unsigned === null) return NOT_KNOWN;
  if (unsigned.length === 0) return html`<p>None waiting longer than a minute</p>`;
  const more = unsigned.length - LOGS_SHOWN;
  const rows = unsigned
    .slice(0, LOGS_SHOWN)
    .map(({ org_id, environment, since }) => [org_id, environment, ageText(since, now)]);
  const verify = html`<code>npm run -s admin -- log verify --org …</code>`;
  return [
    html`<p>Either no <code>pack</code> process is running, or a log does not match its signed checkpoints. Run ${verify} to find out.</p>`,
    table('Logs', ['Organization', 'Environment', '#Waiting'], rows),
    more > 0 && html`<p>${more} more</p>`,
  ];
}

/** Endpoints that missed webhooks: whose, and where they go. */
export function missedTable(missed: OpsOverview['missed'], mayChange: boolean): Html {
  if (missed === null) return NOT_KNOWN;
  if (missed.length === 0) return html`<p>None</p>`;
  const headings = ['Organization', 'Address', 'Endpoint', '#Failed', ...(mayChange ? ['Change'] : [])];
  const rows = missed.map(({ endpoint_id, org_id, organization, url, failed, replaying }) => [
    html`<span title=${org_id}>${organization}</span>`,
    shownAddress(url),
    html`<code>${endpoint_id}</code>`,
    html`${failed === MOST_COUNTED ? `${failed} or more` : failed}${replaying && ', resending'}`,
    ...(mayChange ? [!replaying && replayLink(org_id, endpoint_id)] : []),
  ]);
  return table('Failed webhooks', headings, rows);
}

const replayLink = (org_id: string, endpoint_id: string) =>
  html`<a class="button" href=${`/ops/replay/${org_id}/${endpoint_id}`} aria-label=${`Resend failed webhooks to ${endpoint_id}`}>Resend</a>`;

/** Processes that are no longer there. */
export function leftTable(left: OpsOverview['left']): Html {
  if (left === null || left.length === 0) return null;
  const rows = left.map(({ type, host, pid, version, started_at, seen_at, left_at }) => [
    html`<code>${type}</code>`,
    host,
    pid,
    version,
    shortTime(started_at),
    shortTime(left_at ?? seen_at),
    left_at === null ? html`<strong class="bad">fell silent</strong>` : 'stopped',
  ]);
  return [
    html`<h3>Left in the last hour</h3>`,
    table('Processes that left', ['Type', 'Host', 'PID', 'Version', 'Started (UTC)', 'Last seen (UTC)', 'How'], rows),
  ];
}

/** What operators did, the latest first. */
export function actsTable(acts: OpsOverview['acts']): Html {
  if (acts === null) return NOT_KNOWN;
  if (acts.length === 0) return html`<p>None yet</p>`;
  const rows = acts.map(({ at, operator, act, queue, jobs, job_id, ip, status, request_id }) => [
    shortTime(at),
    operator,
    act,
    queue ?? 'all',
    jobs === 1 && job_id !== null ? job_id : jobs,
    status ?? html`<strong class="bad">unknown</strong>`,
    ip,
    html`<code>${request_id}</code>`,
  ]);
  return table(
    'Operator actions',
    ['At (UTC)', 'Operator', 'Action', 'Queue', 'Jobs', 'Outcome', 'From', 'Request'],
    rows,
  );
}

/** A time in UTC as people read it, to the second. */
export const shortTime = (at: string): Html => html`<time datetime=${at}>${at.slice(0, 19).replace('T', ' ')}</time>`;

/**
 * An address as operators may see it, without its scheme: host and path, or the host alone where the rest may hold a secret: a user, a
 * query, or a part of the path that is long or mixes letters and digits, such as a token.
 */
export function shownAddress(url: string): string {
  const { host, pathname, search, username, password } = new URL(url);
  const isToken = (part: string) => part.length > 24 || (part.length > 7 && /\d/.test(part) && /[a-z]/i.test(part));
  const mayHoldSecret = search !== '' || username !== '' || password !== '' || pathname.split('/').some(isToken);
  return mayHoldSecret || pathname === '/' ? host : host + pathname;
}

/** The latest scheduled backups, and why those failed that did. */
export function backupsTable(backups: OpsOverview['backups']): Html {
  if (backups === undefined) return html`<p>Not scheduled. Set <code>BACKUP_URL</code> to schedule backups.</p>`;
  if (backups === null) return NOT_KNOWN;
  if (backups.length === 0) return html`<p>None yet</p>`;
  const rows = backups.map(({ slot, name, place, state, size_bytes, error }) => [
    shortTime(slot),
    html`<code>${name}</code> in ${place}`,
    size_bytes === null ? null : (size_bytes / 1_000_000).toFixed(1),
    state === 'failed' ? html`<strong class="bad">failed</strong> <span class="text">${error}</span>` : state,
  ]);
  return table('Backups', ['Due (UTC)', 'File', '#MB', 'Result'], rows);
}
