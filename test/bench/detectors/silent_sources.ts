import { createRandom, type Random } from '#bin/demo/random.ts';
import { silentSource } from '#shared/detection/detectors/silent_source.ts';
import { withDefaults } from '#shared/detection/settings/detector_settings.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { events } from '#test/helpers/play.ts';
import { type Measured, nothingMeasured, noFigures } from './measure.ts';

/** Sources that send events for some weeks, some of which fall silent in the last days: what the detector says of them. */
export function measureSilence(seed: number, now: number): Measured {
  const random = createRandom(`sources ${seed}`);
  const sources = kinds.map(kind => ({ ...kind, silent_from: kind.silent_for ? now - kind.silent_for : null }));
  const arrivals = sources
    .flatMap(({ name, at, silent_from }) =>
      at(now - WEEKS, now, random.fork(name))
        .filter(time => silent_from === null || time < silent_from)
        .map(time => ({ at: time, source_id: name })),
    )
    .toSorted((a, b) => a.at - b.at);
  const replay = silentSource.replay(withDefaults(silentSource).params);
  const told = [
    ...events(arrivals).flatMap(event => replay.take(event).map(({ finding }) => ({ finding, at: event.received_at }))),
    // As the sweeps would look, once a minute.
    ...Array.from({ length: (2 * DAY) / MINUTE }, (_, minute) => now - 2 * DAY + (minute + 1) * MINUTE).flatMap(at =>
      at > (arrivals.at(-1)?.at ?? 0) ? replay.end(at).map(({ finding }) => ({ finding, at })) : [],
    ),
  ];
  const figures = noFigures();
  const false_alarms: Measured['false_alarms'] = [];
  for (const { name, strength, silent_from } of sources) {
    const own = told.filter(({ finding }) => finding.subject === name);
    const answer = own.find(({ at }) => silent_from !== null && at >= silent_from);
    if (strength) figures[strength].planted += 1;
    if (strength && answer) {
      figures[strength].found += 1;
      figures.answers += 1;
      figures.delays.push({ ms: answer.at - (silent_from ?? 0), event: 1 });
    }
    const others = own.filter(each => each !== answer);
    const wrong = others.filter(({ at }) => at >= now - DAY);
    figures.false_alarms += wrong.length;
    for (const { finding } of wrong)
      false_alarms.push({ detector: silentSource.name, agent_id: name, explanation: finding.explanation });
  }
  return { ...nothingMeasured(), figures: new Map([[silentSource.name, figures]]), false_alarms };
}

const WEEKS = 21 * DAY;

/** When a source sends something, between two times. */
type Arrivals = (from: number, to: number, random: Random) => number[];
type Kind = { name: string; at: Arrivals; silent_for?: number; strength?: 'strong' | 'weak' };

/** By chance, about `every` milliseconds; where `share` is given, only with that likelihood at that time. */
const byChance =
  (every: number, share: (time: number) => number = () => 1): Arrivals =>
  (from, to, random) => {
    const times: number[] = [];
    for (let time = from; time < to; time += random.exponential(every))
      if (random.chance(share(time))) times.push(Math.round(time));
    return times;
  };

const hourOf = (time: number) => new Date(time).getUTCHours();
const isNight = (time: number) => hourOf(time) < 6;
const isOfficeHour = (time: number) => {
  const weekday = new Date(time).getUTCDay();
  return weekday > 0 && weekday < 6 && hourOf(time) >= 8 && hourOf(time) < 18;
};

const kinds: Kind[] = [
  { name: 'gateway, silent for 3 h', at: byChance(2 * MINUTE), silent_for: 3 * HOUR, strength: 'strong' },
  { name: 'gateway, silent for a day', at: byChance(5 * MINUTE), silent_for: 22 * HOUR, strength: 'strong' },
  {
    name: 'quiet at night, silent for a day',
    at: byChance(3 * MINUTE, time => (isNight(time) ? 0.1 : 1)),
    silent_for: 20 * HOUR,
    strength: 'strong',
  },
  { name: 'gateway, silent for 70 min', at: byChance(2 * MINUTE), silent_for: 70 * MINUTE, strength: 'weak' },
  { name: 'gateway', at: byChance(4 * MINUTE) },
  { name: 'quiet at night', at: byChance(3 * MINUTE, time => (isNight(time) ? 0.1 : 1)) },
  { name: 'office hours', at: byChance(4 * MINUTE, time => (isOfficeHour(time) ? 1 : 0)) },
  { name: 'now and then', at: byChance(5 * HOUR) },
];
