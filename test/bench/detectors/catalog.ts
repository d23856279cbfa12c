import { assessWorld } from '#test/worlds/assess.ts';
import { generate } from '#bin/demo/generate.ts';
import { type JudgedAlert, judgeWorld } from '#test/worlds/judge.ts';
import { library } from '#test/worlds/library.ts';
import { screenWorld } from '#test/worlds/screen_world.ts';
import { detectors, timedDetectors } from '#shared/detection/detectors/index.ts';
import { unmandatedPayment } from '#shared/detection/detectors/unmandated_payment.ts';
import { SECOND } from '#shared/values/time.ts';
import { goalsMissed } from './goals.ts';
import { measure, type Measured, sumOf } from './measure.ts';
import { measureSilence } from './silent_sources.ts';
import { report } from './table.ts';
import { measureUnmandated } from './unmandated.ts';

const ends = ['2026-11-20T15:00:00Z', '2026-11-22T12:00:00Z', '2027-01-01T03:00:00Z', '2026-11-24T09:00:00Z'];
/** Worlds in which every scenario of the library finds agents. */
const SIZE = 22_500;

/**
 * How well every detector, the hard ones among them, finds what the library plants for it, and how soon it tells. Answers with how many goals
 * were missed. What false alarms there are in a month of others is for the families to say.
 */
export async function benchCatalog(seeds: readonly number[], why: boolean): Promise<number> {
  const started = performance.now();
  const measured: Measured[] = [];
  for (const seed of seeds) measured.push(await measureWorld(seed));
  const sum = sumOf(measured);
  const goals = goalsMissed(sum);
  const seconds = Math.round((performance.now() - started) / SECOND);
  console.log(report(`${seeds.length} worlds; ${seconds} s`, sum, goals, why));
  return goals.length;
}

/** Worlds end at different times of the week and the year: a Friday afternoon, a Sunday, the first of January, a Tuesday morning. */
async function measureWorld(seed: number): Promise<Measured> {
  const now = Date.parse(ends[seed % ends.length] ?? '');
  const world = generate(seed, now, { size: SIZE, scenarios: library });
  const verdictOf = await assessWorld(world, now);
  const alerts = judgeWorld(world.events, now, detectors, {
    verdictOf,
    screened: await screenWorld(world.events),
    timed: timedDetectors,
  });
  const isOff = ({ detector }: JudgedAlert) => detector === unmandatedPayment.name;
  return sumOf([
    measure(
      world,
      alerts.filter(alert => !isOff(alert)),
    ),
    measureUnmandated(world, alerts.filter(isOff)),
    measureSilence(seed, now),
  ]);
}
