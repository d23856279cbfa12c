import { Presets, SingleBar } from 'cli-progress';
import { counted } from '#shared/packs/report/words.ts';
import { formatDuration, SECOND } from '#shared/values/time.ts';

/** The progress of a sending: events answered, bytes of the input they took, and the total (null: unknown). */
type Standing = { events: number; bytes: number };
type Progress = { update(standing: Standing): void; wait(reason: string, milliseconds: number): void; stop(): void };

/** How often a line is written without a terminal, and the bar redrawn with one. */
const LINE_EVERY = 10 * SECOND;
const DRAW_EVERY = SECOND / 4;
/** The time over which a rate is smoothed. */
const MEMORY = 15 * SECOND;

/**
 * A bar with rate and remaining time at a terminal; elsewhere a line every ten seconds, unless `quiet`. `done` bytes were answered in
 * earlier runs.
 */
export function startProgress(
  out: NodeJS.WritableStream & { isTTY?: boolean },
  total: number | null,
  start: Standing,
  { quiet, now = () => performance.now() }: { quiet: boolean; now?: () => number },
): Progress {
  let standing = start;
  let measured = { ...start, at: now() };
  let rate: { events: number; bytes: number } | null = null;
  let waiting: { reason: string; until: number } | null = null;
  const measure = () => {
    const passed = now() - measured.at;
    if (passed < SECOND / 2) return;
    const of = (after: number, before: number) => ((after - before) / passed) * SECOND;
    const latest = { events: of(standing.events, measured.events), bytes: of(standing.bytes, measured.bytes) };
    const weight = rate ? 1 - Math.exp(-passed / MEMORY) : 1;
    const former = rate ?? latest;
    const smooth = (before: number, after: number) => before + weight * (after - before);
    rate = { events: smooth(former.events, latest.events), bytes: smooth(former.bytes, latest.bytes) };
    measured = { ...standing, at: now() };
  };
  const words = () => {
    measure();
    const remaining =
      total !== null && rate && rate.bytes > 0 ? ((total - standing.bytes) / rate.bytes) * SECOND : null;
    const isWaiting = waiting && waiting.until > now();
    return [
      counted(standing.events, 'event'),
      rate && `${Math.round(rate.events).toLocaleString('en-US')}/s`,
      isWaiting ? `waiting ${formatDuration(Math.ceil((waiting?.until ?? 0) - now()))}: ${waiting?.reason}` : null,
      !isWaiting && remaining !== null && `${formatDuration(Math.round(remaining / SECOND) * SECOND)} left`,
    ]
      .filter(Boolean)
      .join('  ');
  };
  const drawn = out.isTTY ? barOf(out, total) : null;
  const show = () => {
    if (drawn) drawn.update(standing.bytes, { words: words() });
    else if (!quiet) out.write(`  ${total ? `${Math.floor((100 * standing.bytes) / total)} %  ` : ''}${words()}\n`);
  };
  drawn?.start(total ?? 1, start.bytes, { words: words() });
  const timer = setInterval(show, drawn ? DRAW_EVERY : LINE_EVERY);
  return {
    update: next => void (standing = next),
    wait: (reason, milliseconds) => void (waiting = { reason, until: now() + milliseconds }),
    stop() {
      clearInterval(timer);
      if (drawn) show();
      drawn?.stop();
    },
  };
}

function barOf(stream: NodeJS.WritableStream, total: number | null): SingleBar {
  const format = total === null ? '  {words}' : '  {bar} {percentage} %  {words}';
  return new SingleBar({ format, barsize: 30, hideCursor: true, stream, fps: 10 }, Presets.shades_classic);
}
