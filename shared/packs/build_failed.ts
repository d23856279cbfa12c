/** A pack could not be built, for a reason that its requester may read. */
export class BuildFailed extends Error {
  override name = 'BuildFailed';
}

/** An event differs from what was signed, as far as that shows without the whole log. */
export const notTheLog = (chain_seq: number) =>
  new BuildFailed(
    `Event #${chain_seq} of the log does not match what was signed, so nothing can be proven from it. Ask your operator to verify the log (admin log verify).`,
  );

/** Another worker has the pack by now, or it was removed: this worker stops. */
export class Abandoned extends Error {
  override name = 'Abandoned';
}
