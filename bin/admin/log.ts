import { asError, conflict, invalidRequest } from '#shared/interface/errors.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { rotateSigningKey } from '#shared/ledger/signing_keys.ts';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import { type AdminCommand, orgOption, tenantOf } from './command.ts';

export const log: AdminCommand[] = [
  {
    name: 'log verify',
    summary: 'Verify the whole log of an organization; exits with 1 if verification fails',
    options: [
      orgOption,
      {
        flags: '--witness <file>',
        about: 'checkpoints kept elsewhere (default: CHECKPOINT_WITNESS, where that is a file)',
      },
    ],
    async run(given, services) {
      const tenant = await tenantOf(given, services);
      const witness = given['witness'] ?? services.config.checkpoint_witness?.file;
      const { size, erased, flaw, statements } = await verifyLog(services, tenant, { witness }).catch(
        describeUnreadable,
      );
      return {
        ok: !flaw,
        size,
        erased,
        first_bad_seq: flaw?.seq ?? null,
        ...(flaw && { reason: flaw.reason }),
        // None is no success: then the witness says nothing of this log.
        ...(statements !== null && { witness_statements: statements }),
      };
    },
    failed: result => !(result as { ok: boolean }).ok,
  },
  {
    name: 'log checkpoint',
    summary: 'Sign the log of an organization as it stands, and show the checkpoint',
    options: [orgOption],
    async run(given, services) {
      const checkpoint = await publishCheckpoint(services, await tenantOf(given, services));
      if (checkpoint) return checkpoint;
      throw conflict(
        'There is nothing to sign, or the log does not match its signed checkpoints. Run `log verify` to find out.',
      );
    },
  },
  {
    name: 'log rotate-key',
    summary: 'Create a new key for signing checkpoints and packs; older signatures can still be verified',
    options: [],
    async run(_given, services) {
      if (services.config.log_signing_key)
        throw conflict('The key is that of LOG_SIGNING_KEY: give that another value, and restart the service.');
      return rotateSigningKey(services);
    },
  },
];

function describeUnreadable(thrown: unknown): never {
  const error: Error & { code?: unknown; syscall?: unknown } = asError(thrown);
  if (error.syscall === 'open' || error.syscall === 'read')
    throw invalidRequest(`The file of the witness cannot be read: ${error.message}.`);
  throw error;
}
