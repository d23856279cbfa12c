import type { KindOverview, Overview } from './overview.ts';
import { escapeHtml } from '#api/pages/html.ts';
import { formatDuration, timestamp } from '#shared/values/time.ts';

const NOT_KNOWN = '<p>Not known now.</p>';
const UNKNOWN = '<abbr title="not known now">–</abbr>';

/** A table that scrolls sideways on a narrow screen, also by keyboard. Cells are HTML already; a heading with `#` stands over numbers. */
function table(label: string, headings: readonly string[], rows: readonly string[][]): string {
  const numeric = headings.map(heading => heading.startsWith('#'));
  const cell = (tag: string, content: string, index: number) =>
    `<${tag}${numeric[index] ? ' class="number"' : ''}${tag === 'th' ? ' scope="col"' : ''}>${content}</${tag}>`;
  const head = headings.map((heading, index) => cell('th', heading.replace('#', ''), index)).join('');
  const body = rows.map(row => `<tr>${row.map((content, index) => cell('td', content, index)).join('')}</tr>`);
  return `<div class="table" role="region" aria-label="${label}" tabindex="0"><table>
        <thead><tr>${head}</tr></thead>
        <tbody>${body.join('\n          ')}</tbody>
      </table></div>`;
}

/** What there is to do of each kind, and who is there to do it. */
export function kindsTable({ kinds, now }: Overview, mayChange: boolean): string {
  const headings = [
    'Kind',
    '#Workers',
    '#Oldest row',
    '#Waiting',
    '#Active',
    '#Delayed',
    '#Failed',
    'Process',
    'Change',
  ];
  const rows = kinds.map(each => [
    `<a href="/ops/queues/queue/${each.kind}">${each.kind}</a>`,
    each.workers === null ? UNKNOWN : each.workers === 0 ? '<strong class="bad">none</strong>' : String(each.workers),
    ageText(each.oldest, now),
    ...['waiting', 'active', 'delayed', 'failed'].map(state => countOf(each, state)),
    `<code>${each.type}</code>`,
    mayChange && (each.counts?.['failed'] ?? 0) > 0 ? retryForm(each.kind, null) : '',
  ]);
  return table(
    'Work',
    mayChange ? headings : headings.slice(0, -1),
    mayChange ? rows : rows.map(row => row.slice(0, -1)),
  );
}

function countOf({ kind, counts }: KindOverview, state: string): string {
  if (!counts) return UNKNOWN;
  const count = counts[state] ?? 0;
  if (state !== 'failed' || count === 0) return String(count);
  return `<a class="bad" href="/ops/queues/queue/${kind}?status=failed">${count}</a>`;
}

const ageText = (since: string | null | undefined, now: number): string =>
  since === undefined
    ? UNKNOWN
    : since === null
      ? 'nothing waits'
      : `<span title="${escapeHtml(since)}">${formatDuration(Math.max(0, now - Date.parse(since)))}</span>`;

/** The newest failed jobs: what each was for, and why it failed. */
export function failedTable(failed: Overview['failed'], mayChange: boolean): string {
  if (failed === null) return NOT_KNOWN;
  if (failed.length === 0) return '<p>None in the last day.</p>';
  const headings = ['Failed at (UTC)', 'Kind', 'Error and payload', 'Job', ...(mayChange ? ['Change'] : [])];
  const rows = failed.map(({ kind, id, data, error, failed_at }) => [
    shortTime(timestamp(failed_at)),
    kind,
    `<span class="text">${escapeHtml(error)}<br /><code>${escapeHtml(payloadText(data))}</code></span>`,
    `<a href="/ops/queues/queue/${kind}/${encodeURIComponent(id)}">${escapeHtml(id)}</a>`,
    ...(mayChange ? [retryForm(kind, id)] : []),
  ]);
  return table('Failed jobs', headings, rows);
}

const payloadText = (data: object) =>
  Object.entries(data)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

function retryForm(kind: string, id: string | null): string {
  const action = `/ops/retry/${kind}${id === null ? '' : `/${encodeURIComponent(id)}`}`;
  const label = id === null ? `Retry all failed jobs of ${kind}` : `Retry job ${id} of ${kind}`;
  return `<form method="post" action="${escapeHtml(action)}"><button aria-label="${escapeHtml(label)}">${id === null ? 'Retry all' : 'Retry'}</button></form>`;
}

/** The processes that are there. */
export function processesTable(processes: Overview['processes'], now: number): string {
  if (processes === null) return NOT_KNOWN;
  if (processes.length === 0) return '<p>None.</p>';
  const headings = ['Type', 'Host', '#Process', 'Version', 'Started (UTC)', '#Seen'];
  const rows = processes.map(({ type, host, pid, version, started_at, seen_at }) => [
    `<code>${escapeHtml(type)}</code>`,
    escapeHtml(host),
    String(pid),
    escapeHtml(version),
    shortTime(started_at),
    `${formatDuration(Math.max(0, now - Date.parse(seen_at)))} ago`,
  ]);
  return table('Processes', headings, rows);
}

const LOGS_SHOWN = 10;

/** Logs that nobody has signed, or that are not what was signed before. */
export function unsignedTable(unsigned: Overview['unsigned'], now: number): string {
  if (unsigned === null) return NOT_KNOWN;
  if (unsigned.length === 0) return '<p>None for longer than a minute.</p>';
  const more = unsigned.length - LOGS_SHOWN;
  const rows = unsigned
    .slice(0, LOGS_SHOWN)
    .map(({ org_id, environment, since }) => [escapeHtml(org_id), escapeHtml(environment), ageText(since, now)]);
  return `<p>Either no process works as <code>pack</code>, or a log is not what was signed before: <code>npm run -s admin -- log verify --org …</code> says which.</p>
      ${table('Logs', ['Organization', 'Environment', '#Waits for'], rows)}${more > 0 ? `<p>And ${more} more.</p>` : ''}`;
}

/** What operators did, the latest first. */
export function actsTable(acts: Overview['acts']): string {
  if (acts === null) return NOT_KNOWN;
  if (acts.length === 0) return '<p>Nothing yet.</p>';
  const rows = acts.map(({ at, operator, act, queue, jobs, job_id, ip, status, request_id }) => [
    shortTime(at),
    escapeHtml(operator),
    escapeHtml(act),
    escapeHtml(queue ?? 'all'),
    jobs === 1 && job_id !== null ? escapeHtml(job_id) : String(jobs),
    status === null ? '<strong class="bad">not known</strong>' : String(status),
    escapeHtml(ip),
    `<code>${escapeHtml(request_id)}</code>`,
  ]);
  return table('Acts', ['At (UTC)', 'Operator', 'Act', 'Queue', 'Jobs', 'Outcome', 'From', 'Request'], rows);
}

/** A time in UTC as people read it, to the second. */
export const shortTime = (at: string): string =>
  `<time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(0, 19).replace('T', ' '))}</time>`;
