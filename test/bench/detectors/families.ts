import { SECOND } from '#shared/values/time.ts';
import { type Phase, phases } from '#test/worlds/families/world.ts';
import { type GivenWorld, readWorld } from './families/read.ts';
import { drawWorld, measureFamily } from './families/run.ts';
import { familiesReport } from './families/table.ts';

type Options = {
  seeds: readonly number[];
  phases: readonly Phase[];
  /** Worlds in files instead, see `readWorld`. */
  files: readonly string[];
  /** The first is the one that is shown in detail. */
  budgets: readonly number[];
  rivals: boolean;
  why: boolean;
};

/** Measures the detectors on worlds of families drawn at random, phase by phase, or on worlds in files, and prints what came of it. */
export function benchFamilies({ seeds, phases: wanted, files, ...options }: Options): void {
  if (files.length > 0) {
    const readers = files.map(file => () => readWorld(file));
    measureAll(files.length === 1 ? `${files[0]}` : `${files[0]} and others`, readers, options);
    return;
  }
  for (const phase of phases.filter(each => wanted.includes(each)))
    measureAll(
      titles[phase],
      seeds.map(seed => () => drawWorld(seed, phase)),
      options,
    );
}

const titles: Record<Phase, string> = {
  live: 'A new organization, live, from its first event on',
  backfill: 'A month sent at once, from its first event on',
  steady: 'The steady state, after a month',
};

/** One world after the other, so that memory holds no more than one. */
function measureAll(
  title: string,
  worlds: readonly (() => GivenWorld)[],
  { budgets, rivals, why }: Pick<Options, 'budgets' | 'rivals' | 'why'>,
): void {
  const started = performance.now();
  const measured = worlds.map(make => measureFamily(make(), budgets, rivals));
  const byBudget = new Map(
    budgets.map(budget => [budget, measured.flatMap(each => each.budgets.get(budget) ?? [])] as const),
  );
  const seconds = (performance.now() - started) / SECOND;
  const shown = { title, worlds: worlds.length, budgets: byBudget, rivals: measured.flatMap(each => each.rivals) };
  console.log(familiesReport({ ...shown, seconds }, why));
}
