import { Problem } from '#shared/interface/errors.ts';

/** A backup, or a part of it, differs from what was written: it must not be used. */
export class DamagedBackup extends Problem {
  constructor(message: string) {
    super('invalid_request', message);
  }
}
