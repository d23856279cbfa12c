type Listener<T> = ((heard: T) => unknown) | undefined;

/** Calls a user's listener. What it throws, at once or later, stops nothing here: `or` is called with it. */
export function tell<T>(listener: Listener<T>, heard: T, or?: Listener<Error>): void {
  const fail = (thrown: unknown) => or && tell(or, errorFrom(thrown));
  try {
    const result = listener?.(heard);
    if (result instanceof Promise) result.catch(fail);
  } catch (thrown) {
    fail(thrown);
  }
}

/** What was thrown, as an Error. */
export const errorFrom = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
