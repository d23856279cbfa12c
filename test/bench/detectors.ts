import { Command, InvalidArgumentError } from 'commander';
import { assessWorld } from '#test/worlds/assess.ts';
import { generate } from '#bin/demo/generate.ts';
import { type JudgedAlert, judgeWorld } from '#test/worlds/judge.ts';
import { library } from '#test/worlds/library.ts';
import { screenWorld } from '#test/worlds/screen_world.ts';
import { detectors, timedDetectors } from '#shared/detection/detectors/index.ts';
import { unmandatedPayment } from '#shared/detection/detectors/unmandated_payment.ts';
import { SECOND } from '#shared/values/time.ts';
import { goalsMissed } from '#test/bench/detectors/goals.ts';
import { measure, type Measured, sumOf } from '#test/bench/detectors/measure.ts';
import { measureSilence } from '#test/bench/detectors/silent_sources.ts';
import { report } from '#test/bench/detectors/table.ts';
import { measureUnmandated } from '#test/bench/detectors/unmandated.ts';

// `npm run bench:detectors`: how well the detectors find what is planted in labeled worlds, how often they are wrong, and how soon they
// tell. Exit code 1 where a goal is missed. Needs no database.
const seedsFrom = (first: number) => Array.from({ length: 10 }, (_, index) => first + index);

const ends = ['2026-11-20T15:00:00Z', '2026-11-22T12:00:00Z', '2027-01-01T03:00:00Z', '2026-11-24T09:00:00Z'];
/** Worlds in which every scenario of the library finds agents. */
const SIZE = 22_500;

const seedsOf = (list: string) => {
  if (!/^\d{1,9}(,\d{1,9})*$/.test(list))
    throw new InvalidArgumentError('They must be whole numbers, with commas between.');
  return list.split(',').map(Number);
};

const { seeds, why } = new Command('npm run bench:detectors --')
  .description('Measures the detectors on labeled worlds.')
  .option('--seeds <list>', 'other worlds than 1 to 10 and 601 to 610, such as 20,21', seedsOf)
  .option('--why', 'shows what every false alarm says', false)
  .parse()
  .opts<{ seeds?: number[]; why: boolean }>();

const sets: [name: string, seeds: number[]][] = seeds
  ? [['seeds asked for', seeds]]
  : [
      ['seeds 1 to 10, which the detectors may be tuned by', seedsFrom(1)],
      ['seeds 601 to 610, which nothing is tuned by', seedsFrom(601)],
    ];

let missed = 0;
for (const [name, list] of sets) {
  const started = performance.now();
  const measured: Measured[] = [];
  for (const seed of list) measured.push(await measureWorld(seed));
  const sum = sumOf(measured);
  const goals = goalsMissed(sum);
  missed += goals.length;
  const seconds = Math.round((performance.now() - started) / SECOND);
  console.log(report(`${list.length} worlds: ${name}; ${seconds} s`, sum, goals, why));
}
process.exit(missed === 0 ? 0 : 1);

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
