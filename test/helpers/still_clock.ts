import type { Clock } from '#api/client/request.ts';

/** A clock that stands still unless somebody sleeps; it keeps what they asked for. */
export function stillClock() {
  const slept: number[] = [];
  let time = 0;
  const clock: Clock = {
    now: () => time,
    async sleep(milliseconds) {
      slept.push(milliseconds);
      time += milliseconds;
    },
  };
  return { clock, slept };
}
