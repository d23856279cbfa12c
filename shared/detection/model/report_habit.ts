/** Which of an agent's latest authorizations on a rail were reported in time: one bit each, the lowest is the latest. */
export type ReportHabit = { seen: number; outcomes: number };

/** How many authorizations are remembered. */
const RECENT = 20;
/** Fewer say nothing about a habit. */
const LEAST = 5;

export const noHabit: ReportHabit = { seen: 0, outcomes: 0 };

/** The habit after another authorization has come due. */
export const withOutcome = ({ seen, outcomes }: ReportHabit, reported: boolean): ReportHabit => ({
  seen: Math.min(seen + 1, RECENT),
  outcomes: ((outcomes << 1) | (reported ? 1 : 0)) & (2 ** RECENT - 1),
});

/** How many of the remembered ones were reported in time. */
export function reportedOf({ outcomes }: ReportHabit): number {
  let reported = 0;
  for (let bits = outcomes; bits > 0; bits >>= 1) reported += bits & 1;
  return reported;
}

/** Fewer than half are reported in time, so a missing report is no news. */
export const isUsuallySilent = (habit: ReportHabit): boolean =>
  habit.seen >= LEAST && reportedOf(habit) * 2 < habit.seen;
