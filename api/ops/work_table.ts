import type { KindOverview, OpsOverview } from './overview.ts';
import { ageText, retryLink, table, UNKNOWN } from './tables.ts';
import { type Html, html } from '#shared/platform/html.ts';
import { MINUTES_DRAWN as MINUTES, type WorkSample } from '#shared/running/work/samples.ts';
import { formatDuration, MINUTE } from '#shared/values/time.ts';

/** What there is to do of each kind, who is there to do it, and how it went in the last hour. */
export function kindsTable({ kinds, samples, now }: OpsOverview, mayChange: boolean): Html {
  const states = ['waiting', 'active', 'delayed', 'failed'];
  const headings = [
    'Kind',
    '#Workers',
    '#Oldest job',
    '#Waiting',
    '#Active',
    '#Delayed',
    '#Failed',
    'Jobs/min',
    'Latency',
    'Longest wait',
    'Failures',
    'Process',
  ];
  const rows = kinds.map(each => [
    html`<a href="/ops/queues/queue/${each.kind}">${each.kind}</a>`,
    each.workers === 0 ? html`<strong class="bad">none</strong>` : (each.workers ?? UNKNOWN),
    ageText(each.oldest, now),
    ...states.map(state => countOf(each, state)),
    ...curves(each.kind, samples, now),
    html`<code>${each.type}</code>`,
    ...(mayChange ? [changes(each)] : []),
  ]);
  return html`${table('Work', mayChange ? [...headings, 'Change'] : headings, rows)}<p class="quiet">Curves show the last hour.</p>`;
}

function changes({ kind, counts, paused }: KindOverview): Html {
  const act = paused ? 'resume' : 'pause';
  const label = paused ? `Resume ${kind}` : `Pause ${kind}`;
  return html`<div class="changes">
    <form method="post" action=${`/ops/${act}/${kind}`}><button aria-label=${label}>${paused ? 'Resume' : 'Pause'}</button></form>
    ${(counts?.['failed'] ?? 0) > 0 && retryLink(kind, null)}
  </div>`;
}

/** Jobs a minute, mean latency from queued to done, the oldest wait and failures: the latest value or the sum, and the last hour as a curve. */
function curves(kind: string, samples: readonly WorkSample[] | null, now: number): Html[] {
  if (samples === null) return [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN];
  const first = Math.floor(now / MINUTE) - MINUTES + 1;
  const minutes: (WorkSample | undefined)[] = Array.from({ length: MINUTES }, () => undefined);
  for (const sample of samples) {
    const at = Math.floor(Date.parse(sample.minute) / MINUTE) - first;
    if (sample.kind === kind && at >= 0 && at < MINUTES) minutes[at] = sample;
  }
  const jobs = minutes.map(sample => sample?.jobs ?? 0);
  const latency = minutes.map(sample =>
    sample && sample.jobs > 0 ? (sample.waited_ms + sample.ran_ms) / sample.jobs : 0,
  );
  const oldest = minutes.map(sample => sample?.oldest_ms ?? 0);
  const failed = minutes.map(sample => sample?.failed ?? 0);
  // The minute that runs is not over: of the one before, all is known.
  const rate = jobs.at(-2) ?? 0;
  const mean = latency.findLast(value => value > 0) ?? 0;
  const worst = Math.max(...oldest);
  const failures = failed.reduce((sum, count) => sum + count, 0);
  return [
    html`${curve(`${kind}: ${rate} jobs in the last full minute, ${Math.max(...jobs)} at most`, jobs)} ${rate}`,
    html`${curve(`${kind}: latency ${formatDuration(mean)}, ${formatDuration(Math.max(...latency))} at most`, latency)} ${mean > 0 && formatDuration(mean)}`,
    html`${curve(`${kind}: oldest wait ${formatDuration(worst)} at most`, oldest)} ${worst > 0 && formatDuration(worst)}`,
    html`${curve(`${kind}: ${failures} failures`, failed)} ${failures > 0 ? html`<span class="bad">${failures}</span>` : 0}`,
  ];
}

function countOf({ kind, counts }: KindOverview, state: string): Html {
  if (!counts) return UNKNOWN;
  const count = counts[state] ?? 0;
  if (state !== 'failed' || count === 0) return count;
  return html`<a class="bad" href="/ops/queues/queue/${kind}?status=failed">${count}</a>`;
}

const WIDTH = 60;
const HEIGHT = 22;

/** A small curve of a value per minute, the latest at the right; `label` says in words what it shows. Flat at the bottom where all is zero. */
function curve(label: string, values: readonly number[]): Html {
  const most = Math.max(...values, 0);
  const step = WIDTH / Math.max(values.length - 1, 1);
  const points = values
    .map(
      (value, index) =>
        `${(index * step).toFixed(1)},${(HEIGHT - 1 - (most === 0 ? 0 : value / most) * (HEIGHT - 3)).toFixed(1)}`,
    )
    .join(' ');
  return html`<svg class="curve" role="img" aria-label=${label} width=${WIDTH} height=${HEIGHT} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}>
    <polyline points=${points} />
  </svg>`;
}
