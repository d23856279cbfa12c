import { Command, InvalidArgumentError, Option } from 'commander';
import { type FamilyWorld, type Phase, phases } from '#test/worlds/families/world.ts';
import { benchCatalog } from './detectors/catalog.ts';
import { benchFamilies } from './detectors/families.ts';
import { drawWorld } from './detectors/families/run.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// `npm run bench:detectors`: how often the detectors are wrong, and what they find, in organizations drawn at random. With `--catalog`
// whether every detector finds what is planted for it; the exit code is 1 where one does not. Needs no database.
const options = new Command('npm run bench:detectors --')
  .description('Measures the detectors on labeled worlds.')
  .option('--seeds <list>', 'worlds: numbers and ranges, such as 1-10,42', seedsOf)
  .addOption(new Option('--phase <phase...>', 'how the organization is watched').choices(phases))
  .option('--budget <list>', 'false alarms to ask for, an agent and month; the first is shown in detail', budgetsOf)
  .option('--rivals', 'what simple statistics find in the same worlds', false)
  .option('--why', 'shows what every false alarm says', false)
  .option('--write <directory>', 'writes the worlds as events to be sent, with their labels, and judges nothing')
  .option('--read <file...>', 'worlds in files (.events.ndjson) instead, as --write makes them')
  .option('--catalog', 'what is planted for every detector, in the worlds of the demo', false)
  .parse()
  .opts<{
    seeds?: number[];
    phase?: Phase[];
    budget?: number[];
    rivals: boolean;
    why: boolean;
    write?: string;
    read?: string[];
    catalog: boolean;
  }>();

const {
  seeds,
  phase: wanted = phases,
  budget: budgets = [0.1],
  rivals,
  why,
  write,
  read: files = [],
  catalog,
} = options;
const drawn = seeds ?? seedsOf('1-4');
if (catalog) process.exit((await benchCatalog(seeds ?? seedsOf('601-605'), why)) === 0 ? 0 : 1);
if (write === undefined) benchFamilies({ seeds: drawn, phases: wanted, files, budgets, rivals, why });
else for (const phase of wanted) for (const seed of drawn) writeWorld(drawWorld(seed, phase), write);

function seedsOf(list: string): number[] {
  return list.split(',').flatMap(part => {
    const [, first = '', last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last || first)];
    if (first === '' || to < from) throw new InvalidArgumentError('They must be whole numbers or ranges such as 1-10.');
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

function budgetsOf(list: string): number[] {
  const budgets = list.split(',').map(Number);
  if (!budgets.every(budget => budget >= 0.01 && budget <= 10))
    throw new InvalidArgumentError('They must be numbers from 0.01 to 10, with commas between.');
  return budgets;
}

/** Writes a world as it would be sent to `POST /v1/events`: an event a line, each with when it arrives, and its labels beside. */
function writeWorld({ phase, seed, events, labels }: FamilyWorld, directory: string): void {
  mkdirSync(directory, { recursive: true });
  const name = join(directory, `${phase}-${seed}`);
  const lines = events().map(sent => JSON.stringify(sent));
  writeFileSync(`${name}.events.ndjson`, `${[...lines].join('\n')}\n`);
  writeFileSync(`${name}.labels.ndjson`, labels.map(label => `${JSON.stringify(label)}\n`).join(''));
}
