import { readFile } from 'node:fs/promises';
import { actsTable, failedTable, kindsTable, processesTable, shortTime, unsignedTable } from './tables.ts';
import type { Overview } from './overview.ts';
import { escapeHtml } from '#api/pages/html.ts';
import type { Config } from '#shared/settings/config.ts';
import { processTypes } from '#shared/platform/jobs.ts';
import { timestamp } from '#shared/values/time.ts';

export const opsStyle = readFile(new URL('./style.css', import.meta.url), 'utf8');

type Shown = Pick<Config, 'environment' | 'base_url' | 'ops_read_only'>;

/** The operators' page: everything at a glance, without a script. It says strict-origin of itself for the sake of its forms (see pages/html.ts). */
export const opsPage = ({ environment, base_url, ops_read_only }: Shown, seen: Overview): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <meta name="referrer" content="strict-origin" />
    <title>Operations · Agent Payment Oversight Service</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/ops/style.css" />
  </head>
  <body>
    <header>
      <h1>Operations</h1>
      <p>
        ${escapeHtml(environment)} at ${escapeHtml(new URL(base_url).host)} · queue in ${seen.engine} ·
        ${ops_read_only ? 'looking only' : 'changes allowed'} · as of ${shortTime(timestamp(seen.now))}
      </p>
      <nav aria-label="Views"><a href="/ops">Refresh</a> <a href="/ops/queues">Queues in bull-board</a></nav>
    </header>
    <main>
      ${notices(seen)}
      <section>
        <h2>Work</h2>
        ${kindsTable(seen, !ops_read_only)}
      </section>
      <section>
        <h2>Failed jobs</h2>
        ${failedTable(seen.failed, !ops_read_only)}
      </section>
      <section>
        <h2>Processes</h2>
        ${processesTable(seen.processes, seen.now)}
      </section>
      <section>
        <h2>Logs that wait for their signature</h2>
        ${unsignedTable(seen.unsigned, seen.now)}
      </section>
      <section>
        <h2>What operators did</h2>
        ${actsTable(seen.acts)}
      </section>
    </main>
  </body>
</html>
`;

function notices({ kinds, engine, processes }: Overview): string {
  const said = [
    kinds.some(({ counts }) => counts === null) &&
      `The queue in ${engine} does not answer. The rows stand in the database, and are queued again when it does.`,
    ...kinds.map(
      ({ kind, paused }) =>
        paused && `The queue <code>${kind}</code> is paused: nothing of it is worked off until it is resumed.`,
    ),
    processes === null && 'The database does not answer: what stands in it is not shown.',
    ...(processes === null ? [] : missing(processes).map(type => `No process works as <code>${type}</code>.`)),
  ];
  return said.flatMap(text => (text ? [`<p class="notice" role="status">${text}</p>`] : [])).join('\n      ');
}

const missing = (processes: readonly { type: string }[]) =>
  [...Object.keys(processTypes), 'schedule'].filter(type => !processes.some(each => each.type === type));
