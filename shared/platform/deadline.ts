/** Waits for work for at most this long, then throws Late; the work goes on. */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Late(`no answer within ${milliseconds} ms`)), milliseconds);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Work took longer than it was given. */
export class Late extends Error {}
