import type { Readable } from 'node:stream';

/** Files that are too large for the database, by names such as `packs/org_…/pck_….zip`. Throws `StorageFault`. */
export type Storage = {
  /** The folder in which files are prepared, so that storing them is quick. */
  workshop: string;
  /** Moves a finished file from the disk to this name: readers see all of it or the former file. */
  put(name: string, file: string): Promise<void>;
  /** A file, or a part of it, with the size in bytes of the body; null when there is none. */
  get(name: string, part?: ByteRange): Promise<{ body: Readable; size: number } | null>;
  /** Removes a file; a missing one is no error. */
  remove(name: string): Promise<void>;
};

/** A part of a file: its first and last byte, both inclusive. */
export type ByteRange = { first: number; last: number };

/** The storage failed: it is away, refuses, or is full. `cause` has the details. */
export class StorageFault extends Error {
  override name = 'StorageFault';
}

/** Awaits a storage operation, and rethrows its errors as `StorageFault`. */
export async function orFault<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (cause) {
    throw new StorageFault('the storage failed', { cause });
  }
}
