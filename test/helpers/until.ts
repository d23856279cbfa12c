/** How long, in milliseconds, a test waits for what has to come: a hundred times as long as it takes, on a machine that is busy. */
export const PATIENCE = 90_000;

/** Asks again and again until it holds; throws after a minute and a half, so that the other tests still have their turn. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!(await holds())) {
    if (performance.now() > end)
      throw new Error(`After ${PATIENCE / 1_000} s this still did not hold: ${String(holds)}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
