import { readFile } from 'node:fs/promises';
import {
  actsTable,
  backupsTable,
  failedTable,
  leftTable,
  missedTable,
  processesTable,
  shortTime,
  unsignedTable,
} from './tables.ts';
import { behindTable, stormsTable } from './pressure_tables.ts';
import { kindsTable } from './work_table.ts';
import type { OpsOverview } from './overview.ts';
import { page } from '#api/pages/page.ts';
import type { Config } from '#shared/settings/config.ts';
import { type Html, html } from '#shared/platform/html.ts';
import { processTypes } from '#shared/platform/jobs.ts';
import { timestamp } from '#shared/values/time.ts';

/** What keeps it up to date; without it the page stays as it was opened. */
export const opsScript = readFile(new URL('./live.js', import.meta.url), 'utf8');
export const opsStyle = readFile(new URL('./style.css', import.meta.url), 'utf8');

type PageConfig = Pick<Config, 'environment' | 'base_url' | 'ops_read_only'>;

/** The operators' page: everything at a glance. It refreshes itself. */
export function opsPage({ environment, base_url, ops_read_only }: PageConfig, overview: OpsOverview): string {
  const changes = ops_read_only ? 'read-only' : 'changes allowed';
  const section = (title: string, content: Html) =>
    html`<section><h2>${title}</h2><div data-live=${title}>${content}</div></section>`;
  const body = html`<header>
      <h1>Operations</h1>
      <p data-live="as of">
        ${environment} at ${new URL(base_url).host} · queue in ${overview.engine} · ${changes} · as of ${shortTime(timestamp(overview.now))}
      </p>
      <nav aria-label="Views"><button type="button" id="live" hidden>Pause updates</button> <a href="/ops">Refresh</a> <a href="/ops/queues">Queues in bull-board</a></nav>
    </header>
    <main>
      <div data-live="notices">${notices(overview)}</div>
      ${section('Work', kindsTable(overview, !ops_read_only))}
      ${section('Organizations waiting for analysis', behindTable(overview.behind, overview.now))}
      ${section('Alert storms', stormsTable(overview.storms))}
      ${section('Failed jobs', failedTable(overview.failed, !ops_read_only))}
      ${section('Failed webhooks', missedTable(overview.missed, !ops_read_only))}
      ${section('Processes', [processesTable(overview.processes, overview.now), leftTable(overview.left)])}
      ${section('Logs awaiting a checkpoint', unsignedTable(overview.unsigned, overview.now))}
      ${section('Backups', backupsTable(overview.backups))}
      ${section('Operator actions', actsTable(overview.acts))}
    </main>
    <script src="/ops/live.js" defer></script>`;
  return page('Operations', body, '/ops/style.css');
}

function notices({ kinds, engine, processes, clock }: OpsOverview): Html {
  const notice = (content: Html) => html`<p class="notice" role="status">${content}</p>`;
  return [
    kinds.some(({ counts }) => counts === null) &&
      notice(
        `The queue in ${engine} is not responding. Work is safe in the database and is queued again when it recovers.`,
      ),
    kinds
      .filter(({ paused }) => paused)
      .map(({ kind }) => notice(html`The queue <code>${kind}</code> is paused. Its jobs wait until it is resumed.`)),
    clock && notice(`This machine’s clock is ${clock}. Correct it; the database’s clock is used.`),
    processes === null && notice('The database is not responding. Its data is not shown.'),
    processes && missing(processes).map(type => notice(html`No <code>${type}</code> process is running.`)),
  ];
}

const missing = (processes: readonly { type: string }[]) =>
  [...processTypes, 'schedule'].filter(type => !processes.some(each => each.type === type));
