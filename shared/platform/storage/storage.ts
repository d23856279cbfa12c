import type { Readable } from 'node:stream';

/** Where files are kept that are too large for the database, by names such as `packs/org_…/pck_….zip`. It throws `StorageFault`. */
export type Storage = {
  /** Where files are prepared before they are put, so that putting them is quick. */
  workshop: string;
  /** Takes a finished file from the disk under this name: readers see all of it or what was there before. The file itself is used up. */
  put(name: string, file: string): Promise<void>;
  /** A file, or a part of it, and the size in bytes of what is read; null when there is none. */
  get(name: string, part?: Part): Promise<{ body: Readable; size: number } | null>;
  /** Removes a file; one that is not there is no error. */
  remove(name: string): Promise<void>;
};

/** A part of a file: its first and its last byte, both included. */
export type Part = { first: number; last: number };

/** The storage did not do what it was asked for: it is away, refuses, or is full. `cause` says what it said. */
export class StorageFault extends Error {
  override name = 'StorageFault';
}

/** What a storage is asked, with whatever it throws as a `StorageFault`. */
export async function orFault<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (cause) {
    throw new StorageFault('the storage failed', { cause });
  }
}
