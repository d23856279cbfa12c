import { asError, conflict, invalidRequest } from '#shared/interface/errors.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { rotateSigningKey } from '#shared/ledger/signing_keys.ts';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { listArchives } from '#shared/packs/archive/archives.ts';
import { checkArchive } from '#shared/packs/archive/check_archive.ts';
import { DamagedArchive } from '#shared/packs/archive/open_archive.ts';
import type { Services } from '#shared/platform/services.ts';
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
      { flags: '--archives', about: 'fetch the archives of old events too, and check everything in them' },
    ],
    async run(options, services) {
      const tenant = await tenantOf(options, services);
      const witness = options['witness'] ?? services.config.checkpoint_witness?.file;
      const { size, archived, erased, flaw, statements } = await verifyLog(services, tenant, { witness }).catch(
        describeUnreadable,
      );
      const archives = options['archives'] && !flaw ? await checkArchives(services, tenant) : null;
      // The file was named to be held against: one without a word of this log has shown nothing.
      const says_nothing = options['witness'] !== undefined && statements === 0;
      const first_flaw = flaw ?? archives?.flaw ?? (says_nothing ? { seq: null, reason: NOTHING_TOLD } : null);
      return {
        ok: !first_flaw,
        size,
        archived,
        erased,
        first_bad_seq: first_flaw?.seq ?? null,
        ...(first_flaw && { reason: first_flaw.reason }),
        ...(archives && { archives: archives.checked }),
        // Of CHECKPOINT_WITNESS none is no success: it may not have been told of this log yet.
        ...(statements !== null && { witness_statements: statements }),
      };
    },
    failed: result => !(result as { ok: boolean }).ok,
  },
  {
    name: 'log checkpoint',
    summary: 'Sign the log of an organization as it stands, and show the checkpoint',
    options: [orgOption],
    async run(options, services) {
      const checkpoint = await publishCheckpoint(services, await tenantOf(options, services));
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

const NOTHING_TOLD = 'The file of --witness has no checkpoint of this log, so there is nothing to hold it against.';

/** Checks the archives of a log one after the other, up to the first that is not as it was. */
async function checkArchives(
  services: Services,
  tenant: Tenant,
): Promise<{ checked: number; flaw: { seq: number; reason: string } | null }> {
  let checked = 0;
  for (let from = 1; ;) {
    const [archive] = await listArchives(services.db, tenant, from, 1);
    if (!archive) return { checked, flaw: null };
    try {
      await checkArchive(services, tenant, archive);
    } catch (error) {
      if (!(error instanceof DamagedArchive)) throw error;
      return { checked, flaw: { seq: archive.from_seq, reason: error.message } };
    }
    checked += 1;
    from = archive.to_seq + 1;
  }
}

function describeUnreadable(thrown: unknown): never {
  const error: Error & { code?: unknown; syscall?: unknown } = asError(thrown);
  if (error.syscall === 'open' || error.syscall === 'read')
    throw invalidRequest(`The file of the witness cannot be read: ${error.message}.`);
  throw error;
}
