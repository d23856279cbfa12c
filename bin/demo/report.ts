import { stripVTControlCharacters, styleText } from 'node:util';
import type { Alert } from '#shared/casework/alerts.ts';
import type { Label } from './plant.ts';
import { WAIT_S } from './settled.ts';
import type { ScenarioResult, Score } from './score.ts';
import type { Verdicts } from './verdicts.ts';

/** What a demo came to besides its score. `verdicts` are of the day. */
type Run = {
  events: number;
  seconds: number;
  webhooks: { verified: number; refused: number };
  verdicts: Verdicts;
};

/** How a demo went, for a person, in at most 100 columns; colors only where `out` shows them. Every scenario where `all`. */
export function reportOf(
  { answers, found, missed, joined, false_alarms, while_learning, normal_events, false_alarms_per_10000 }: Score<Alert>,
  { events, seconds, webhooks, verdicts }: Run,
  out: NodeJS.WriteStream,
  all: boolean,
): string {
  const bold = (text: string) => styleText('bold', text, { stream: out });
  const shown = all ? answers : answers.filter(({ alerts }) => alerts.length === 0);
  return [
    '',
    ...(shown.length > 0 ? [`  ${bold(columns('Planted', 'Agent', 'Found by', 'Severity', 'Score'))}`] : []),
    ...shown.flatMap(answer => linesOf(answer, out)),
    ...(shown.length > 0 ? [''] : []),
    `  ${bold(`${found} of ${found + missed} scenarios found`)}${joined > 0 ? `, ${joined} of them added to alerts from the weeks before` : ''}.`,
    `  ${plural(false_alarms.length, 'false alarm')} in ${number(normal_events)} normal events of the day: ${one(false_alarms_per_10000)} per 10,000.`,
    ...(all ? false_alarms.map(alert => `    ${line(alert)}`) : []),
    ...(all ? [] : gravestOf(answers, out)),
    `  ${plural(while_learning.length, 'alert')} in the weeks before, while detectors learned each agent’s behavior.`,
    ...(all ? countsOf(while_learning).map(([detector, count]) => `    ${detector.padEnd(24)} ${count}`) : []),
    ...(all ? [`  The x402 timeout was ${WAIT_S} s instead of 15 min, because the day passes in seconds.`] : []),
    `  Evidence of the day's events: ${tally(verdicts.verification)}.`,
    `  Mandates of the day's events: ${tally(verdicts.mandate_evaluation)}.`,
    `  ${plural(webhooks.verified, 'webhook')} received, ${webhooks.refused === 0 ? 'all signatures valid' : `${webhooks.refused} with an invalid signature`}.`,
    `  ${number(events)} events sent and analyzed in ${one(seconds)} s: ${number(Math.round(events / seconds))} per second.`,
  ].join('\n');
}

/** The gravest alert of each of some detectors, with what it says. */
function gravestOf(answers: readonly ScenarioResult<Alert>[], out: NodeJS.WriteStream): string[] {
  const alerts = answers.flatMap(answer => answer.alerts).toSorted((a, b) => b.score - a.score);
  const gravest = [...new Map(alerts.toReversed().map(alert => [alert.detector, alert])).values()];
  const shown = gravest.toSorted((a, b) => b.score - a.score).slice(0, MOST_SHOWN);
  if (shown.length === 0) return [];
  const heading = `${plural(new Set(alerts.map(({ id }) => id)).size, 'alert')}, among them (npm run demo -- --all lists every scenario):`;
  return ['', `  ${styleText('bold', heading, { stream: out })}`, ...shown.map(alert => `    ${line(alert)}`), ''];
}

const MOST_SHOWN = 10;

/** A line as several that fit, broken between words and indented; a word that is too long stands alone. */
export function folded(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? `  ${word}` : `    ${word}`);
  }
  return lines.join('\n');
}

const WIDTH = 98;

function linesOf(
  { label, alerts: [best, ...others], joined }: ScenarioResult<Alert>,
  out: NodeJS.WriteStream,
): string[] {
  const { scenario, variant } = label;
  const agents = namesOf(label);
  const also = [...new Set(others.map(({ detector }) => detector))].filter(name => name !== best?.detector);
  const first = best
    ? columns(scenario, agents, best.detector, best.severity, String(best.score))
    : columns(scenario, agents, 'MISSED', '', '');
  const what = best
    ? `${joined ? 'added to: ' : ''}${best.title}${also.length > 0 ? ` (also ${also.join(', ')})` : ''}`
    : '';
  return [
    `${styleText(best ? 'green' : 'red', best ? '✓' : '✗', { stream: out })} ${first}`,
    styleText('dim', `    ${cut(variant, 46).padEnd(46)} ${cut(what, WIDTH - 51)}`.trimEnd(), { stream: out }),
  ];
}

const namesOf = ({ agents: [first, ...others] }: Label) =>
  others.length === 0 ? first.name : `${first.name} +${others.length}`;

const columns = (...[scenario = '', agent = '', detector = '', severity = '', score = '']: string[]) =>
  `${cut(scenario, 24).padEnd(24)} ${cut(agent, 23).padEnd(23)} ${cut(detector, 24).padEnd(24)} ${severity.padEnd(9)} ${score}`.trimEnd();

const line = ({ detector, severity, score, title }: Alert) =>
  cut(`${detector.padEnd(22)} ${severity.padEnd(8)} ${String(score).padStart(5)}  ${title}`, WIDTH - 4);

/** Names come from outside: what would move the cursor is left out. */
const cut = (text: string, length: number) => {
  const plain = stripVTControlCharacters(text);
  return plain.length > length ? `${plain.slice(0, length - 1)}…` : plain;
};

const countsOf = (alerts: Alert[]) =>
  [...Map.groupBy(alerts, ({ detector }) => detector)].map(([detector, list]) => [detector, list.length] as const);

const tally = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([result, count]) => `${number(count)} ${result}`)
    .join(', ');

const plural = (count: number, noun: string) => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
const number = (value: number) => value.toLocaleString('en-US');
const one = (value: number) => String(Math.round(value * 10) / 10);
