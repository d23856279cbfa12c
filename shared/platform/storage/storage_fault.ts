/** The storage did not do what it was asked for: it is away, refuses, or is full. `cause` says what it said. */
export class StorageFault extends Error {
  override name = 'StorageFault';
}

/** What a storage is asked, with whatever it throws as a `StorageFault`. */
export async function orFault<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    throw new StorageFault('the storage failed', { cause });
  }
}
