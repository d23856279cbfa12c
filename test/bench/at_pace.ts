import { setTimeout as pause } from 'node:timers/promises';

/** Begins `a_second` of something at even times for so many `seconds`, whether what began before has ended or not. Returns how long each took, ascending. */
export async function atPace(
  a_second: number,
  seconds: number,
  act: (index: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  const all: Promise<void>[] = [];
  const start = performance.now();
  for (let index = 0; index < a_second * seconds; index += 1) {
    const due = start + (index * 1_000) / a_second;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    all.push(act(index).then(() => void times.push(performance.now() - due)));
  }
  await Promise.all(all);
  return times.toSorted((a, b) => a - b);
}
