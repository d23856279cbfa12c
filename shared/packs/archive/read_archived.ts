import { type AlertEvidence, readEvidence } from '#shared/casework/alert_evidence.ts';
import { type EventDetail, findEvent } from '#shared/events/log/events.ts';
import { unavailable } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Db } from '#shared/platform/db.ts';
import type { Storage } from '#shared/platform/storage/storage.ts';
import { archivedOfAlerts, findArchived, readArchivedSeq } from './archives.ts';
import { withLines } from './lines.ts';
import { DamagedArchive } from './open_archive.ts';
import { readArchivedLines } from './recent_lines.ts';
import { withArchived } from './with_archived.ts';

type Reading = { db: Db; storage: Storage };

/** Throws `unavailable` when the archive is damaged or missing. */
async function orUnavailable<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof DamagedArchive)
      throw unavailable(
        'What is asked for is in an archive, which cannot be read. The operator can check it: admin log verify --archives.',
      );
    throw error;
  }
}

/** One event with its evidence, from its archive if necessary. Null when the tenant has no such event. */
export async function findEventAnywhere(services: Reading, tenant: Tenant, id: string): Promise<EventDetail | null> {
  const event = await findEvent(services.db, tenant, id);
  const chain_seq = event ? null : await findArchived(services.db, tenant, id);
  if (chain_seq === null) return event;
  return readWith(services, tenant, [chain_seq], db => findEvent(db, tenant, id));
}

/** The evidence of an alert's explanation, also from archived events. Undefined when the tenant has no such alert. */
export async function readAlertEvidence(
  services: Reading,
  tenant: Tenant,
  id: string,
): Promise<AlertEvidence | undefined> {
  const archived_seq = await readArchivedSeq(services.db, tenant);
  const seqs = await archivedOfAlerts(services.db, tenant, [id]);
  const readFrom = async (db: Db) => (await readEvidence(db, tenant, [id])).get(id);
  const evidence = await (seqs.length === 0 ? readFrom(services.db) : readWith(services, tenant, seqs, readFrom));
  // Events archived meanwhile would be missing.
  return archived_seq === (await readArchivedSeq(services.db, tenant))
    ? evidence
    : readAlertEvidence(services, tenant, id);
}

/** Reads with these archived events added to those in the database. Writes nothing, unless they are too many for memory. */
const readWith = <T>(services: Reading, tenant: Tenant, seqs: readonly number[], readFrom: (db: Db) => Promise<T>) =>
  orUnavailable(
    (async () => {
      const lines = await readArchivedLines(services, tenant, seqs);
      return lines
        ? readFrom(withLines(services.db, tenant, lines, true))
        : withArchived(services, tenant, seqs, readFrom);
    })(),
  );
