/** Which of an agent's latest authorizations over a rail were reported on in time: one bit each, the lowest is the last. */
export type ReportHabit = { seen: number; outcomes: number };

/** How many authorizations are remembered. */
const RECENT = 20;
/** Fewer say nothing of a habit. */
const LEAST = 5;

export const noHabit: ReportHabit = { seen: 0, outcomes: 0 };

/** The habit after one more authorization whose time is up. */
export const withOutcome = ({ seen, outcomes }: ReportHabit, reported: boolean): ReportHabit => ({
  seen: Math.min(seen + 1, RECENT),
  outcomes: ((outcomes << 1) | (reported ? 1 : 0)) & (2 ** RECENT - 1),
});

/** How many of those remembered were reported on in time. */
export function reportedOf({ outcomes }: ReportHabit): number {
  let reported = 0;
  for (let bits = outcomes; bits > 0; bits >>= 1) reported += bits & 1;
  return reported;
}

/** Fewer than half are reported on in time: that nothing is heard is no news then. */
export const isUsuallySilent = (habit: ReportHabit): boolean =>
  habit.seen >= LEAST && reportedOf(habit) * 2 < habit.seen;
