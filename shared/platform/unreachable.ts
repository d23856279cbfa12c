import { errorCode } from '#shared/values/file_trouble.ts';
import { isLostDatabase } from './db.ts';

/** The database cannot be reached, or lets nobody in with this URL; the message is for whoever runs the program. */
export class Unreachable extends Error {
  constructor(cause: Error) {
    super(`The database cannot be reached (${errorCode(cause) || cause.message}). Check DATABASE_URL.`, { cause });
  }
}

/** A connection, or what needs one. Throws Unreachable. */
export const connecting = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: Error) => {
    throw isLostDatabase(error) ? new Unreachable(error) : error;
  });
