import { readFileSync } from 'node:fs';
import { DAY } from '#shared/values/time.ts';
import type { FamilyLabel } from '#test/worlds/families/plant.ts';
import type { FamilyWorld, Sent } from '#test/worlds/families/world.ts';

/** A world that was written by `--write`, or by another generator in the same form; counted from its first event on. */
export type GivenWorld = Pick<FamilyWorld, 'labels' | 'counted_from' | 'to' | 'events' | 'phase'> &
  Partial<FamilyWorld>;

/** `path` ends in `.events.ndjson`; the labels are beside it. It is a month sent at once where the first event arrives a day late or more. */
export function readWorld(path: string): GivenWorld {
  const read = <Line>(file: string): Line[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as Line);
  const sent = read<Sent>(path);
  const times = sent.map(({ input }) => Date.parse(input.occurred_at));
  const [first] = sent;
  const late = first ? first.received_at - Date.parse(first.input.occurred_at) : 0;
  return {
    phase: late >= DAY ? 'backfill' : 'live',
    labels: read<FamilyLabel>(path.replace('.events.', '.labels.')),
    counted_from: times.reduce((least, at) => Math.min(least, at), Infinity),
    to: times.reduce((most, at) => Math.max(most, at), 0),
    events: function* () {
      yield* sent;
    },
  };
}
