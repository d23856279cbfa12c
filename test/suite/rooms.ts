import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds that a file took; one that nobody has measured yet is taken for a short one. */
const UNKNOWN = 1_000;

/** How long each file took when it was last written down, in milliseconds: `node test/run.ts --remember`. */
const DURATIONS = new URL('../durations.json', import.meta.url);
export const rememberedDurations = (): Record<string, number> =>
  existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {};
export const rememberDurations = (durations: Record<string, number>) =>
  writeFile(DURATIONS, `${JSON.stringify(durations, Object.keys(durations).toSorted(), 2)}\n`);

/** A file that takes longer has grown slow, unless it is one that was written down: then it may take this many times as long. */
const LONGEST_FILE = 20_000;
const TIMES_LONGER = 3;

/** The files that are new and take long, or take far longer than they did, and the most that they may take; on a slower machine more. */
export function grownSlow(durations: Record<string, number>, remembered = rememberedDurations()) {
  const known = Object.keys(durations).filter(file => remembered[file] !== undefined);
  const sum = (of: Record<string, number>) => known.reduce((total, file) => total + (of[file] ?? 0), 0);
  const pace = Math.max(1, sum(durations) / Math.max(1, sum(remembered)));
  return Object.entries(durations)
    .map(([file, duration]) => {
      const most = pace * Math.max(LONGEST_FILE, TIMES_LONGER * (remembered[file] ?? 0));
      return { file, duration, most };
    })
    .filter(({ duration, most }) => duration > most);
}

/** A file that takes longer, in milliseconds, has its turn at every twelfth commit. */
const LONG = 1_000;
const SHARE = 12;
/** These have a turn every time: that the service can be installed and starts, and who sees and may do what. */
const ALWAYS = new Set([
  'test/bin/nodes.test.ts',
  'test/bin/start.test.ts',
  'test/bin/start_next.test.ts',
  'test/api/tenancy.test.ts',
  'test/api/permissions.test.ts',
]);

/** The files that have no turn at this commit: eleven twelfths of those that take long, others at the next. */
export function withoutTurn(files: readonly string[], seed: number, durations = rememberedDurations()): Set<string> {
  const cost = (file: string) => durations[file] ?? UNKNOWN;
  const long = files.filter(file => cost(file) > LONG && !ALWAYS.has(file));
  // Neighbors in this order take about equally long, so that every twelfth does, too.
  const ordered = long.toSorted((a, b) => cost(b) - cost(a) || (a < b ? -1 : 1));
  return new Set(ordered.filter((_, at) => (at + seed) % SHARE !== 0));
}

/**
 * Shares test files out to `count` rooms that take about equally long: the longest file first, each to the room that has the least to
 * do so far. The rooms with a long file begin with it.
 */
export function planRooms(files: readonly string[], count: number, durations = rememberedDurations()): string[][] {
  const cost = (file: string) => durations[file] ?? UNKNOWN;
  const rooms = Array.from({ length: Math.min(count, files.length) }, () => ({ files: [] as string[], cost: 0 }));
  for (const file of files.toSorted((a, b) => cost(b) - cost(a) || (a < b ? -1 : 1))) {
    const least = rooms.reduce((a, b) => (b.cost < a.cost ? b : a));
    least.files.push(file);
    least.cost += cost(file);
  }
  return rooms.toSorted((a, b) => b.cost - a.cost).map(room => room.files);
}

/** Writes the rooms into a folder, each a file for ava that loads the test files of one process; ava takes them in the order of their names. */
export async function writeRooms(folder: string, rooms: readonly string[][]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [index, files] of rooms.entries())
    await writeFile(
      join(folder, `${String(index + 1).padStart(2, '0')}.test.ts`),
      `import { openRoom } from '#test/suite/room.ts';\n\nawait openRoom(${JSON.stringify(files, null, 2)});\n`,
    );
}
