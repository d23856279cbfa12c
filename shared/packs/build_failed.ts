/** A pack could not be built, for a reason that whoever asked for it may read. */
export class BuildFailed extends Error {
  override name = 'BuildFailed';
}

/** An event is not what was signed, as far as that can be said without looking at all of the log. */
export const notTheLog = (chain_seq: number) =>
  new BuildFailed(
    `Event #${chain_seq} of the log does not match what was signed, so nothing can be proven from it. Ask your operator to verify the log (admin log verify).`,
  );

/** The pack is in other hands by now, or was removed: there is nothing more to do for this worker. */
export class Abandoned extends Error {
  override name = 'Abandoned';
}
