import { Problem } from '#shared/interface/errors.ts';

/** A backup is not what was written, as a whole or in a part: nothing is to be made of it. */
export class DamagedBackup extends Problem {
  constructor(message: string) {
    super('invalid_request', message);
  }
}
