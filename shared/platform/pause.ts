/** A promise that resolves after `milliseconds` without keeping the process alive. */
export const pause = (milliseconds: number) => new Promise<void>(resolve => setTimeout(resolve, milliseconds).unref());
