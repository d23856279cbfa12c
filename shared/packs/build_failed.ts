/** A pack could not be built, for a reason that whoever asked for it may read. */
export class BuildFailed extends Error {
  override name = 'BuildFailed';
}

/** The pack is in other hands by now, or was removed: there is nothing more to do for this worker. */
export class Abandoned extends Error {
  override name = 'Abandoned';
}
