/** A day of an installation: the events of each step, and how many are analyzed a second when any wait. */
type Day = {
  events_a_day: number;
  peak: number;
  analyzed_a_second: number;
  stop?: { at: number; seconds: number };
};

export const STEP = 10;
const STEPS = 86_400 / STEP;

/** How many events come in each step: a curve over the day whose highest point is `peak` times its average, at noon. */
export function arrivalsOf({ events_a_day, peak }: Pick<Day, 'events_a_day' | 'peak'>): number[] {
  const bell = Array.from({ length: STEPS }, (_, step) => ((1 - Math.cos((2 * Math.PI * step) / STEPS)) / 2) ** POWER);
  const average = bell.reduce((sum, each) => sum + each, 0) / STEPS;
  const height = (peak - 1) / (1 - average);
  return bell.map(each => ((1 + height * (each - average)) * events_a_day) / STEPS);
}

/** High enough that no hour of a day whose peak is five times its average is empty. */
const POWER = 8;

/**
 * Lets a day pass: all events wait in one line for whoever analyzes them. The most that waited, the longest that one waited in seconds, and how
 * many seconds after a stop ended nobody waited any more (of the day's end, where they still do, Infinity).
 */
export function passDay(day: Day): { most_waiting: number; longest_wait: number; caught_up: number } {
  const arrivals = arrivalsOf(day);
  const { analyzed_a_second, stop } = day;
  const isStopped = (step: number) =>
    stop !== undefined && step * STEP >= stop.at && step * STEP < stop.at + stop.seconds;
  let [waiting, most_waiting, longest_wait] = [0, 0, 0];
  let caught_up = 0;
  arrivals.forEach((arrived, step) => {
    const able = isStopped(step) ? 0 : analyzed_a_second * STEP;
    waiting = Math.max(0, waiting + arrived - able);
    most_waiting = Math.max(most_waiting, waiting);
    // The last in line waits for those before it, and first for the end of the stop.
    const still = isStopped(step) && stop ? stop.at + stop.seconds - (step + 1) * STEP : 0;
    if (waiting > 0) longest_wait = Math.max(longest_wait, still + waiting / analyzed_a_second);
    if (stop && waiting > 0) caught_up = (step + 1) * STEP - (stop.at + stop.seconds);
  });
  return { most_waiting, longest_wait, caught_up: waiting > 0 ? Infinity : caught_up };
}
