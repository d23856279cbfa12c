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

/** Throws `unavailable` where the archive is not as it was, or not there. */
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

/** One event with its evidence, from its archive where it has left the database. Null when the tenant has no such event. */
export async function findEventAnywhere(services: Reading, tenant: Tenant, id: string): Promise<EventDetail | null> {
  const event = await findEvent(services.db, tenant, id);
  const chain_seq = event ? null : await findArchived(services.db, tenant, id);
  if (chain_seq === null) return event;
  return readWith(services, tenant, [chain_seq], db => findEvent(db, tenant, id));
}

/** What the explanation of an alert is about, also where events of it have left the database. Undefined when the tenant has no such alert. */
export async function readAlertEvidence(
  services: Reading,
  tenant: Tenant,
  id: string,
): Promise<AlertEvidence | undefined> {
  const archived_seq = await readArchivedSeq(services.db, tenant);
  const seqs = await archivedOfAlerts(services.db, tenant, [id]);
  const readFrom = async (db: Db) => (await readEvidence(db, tenant, [id])).get(id);
  const evidence = await (seqs.length === 0 ? readFrom(services.db) : readWith(services, tenant, seqs, readFrom));
  // Events that left the database meanwhile would be missing.
  return archived_seq === (await readArchivedSeq(services.db, tenant))
    ? evidence
    : readAlertEvidence(services, tenant, id);
}

/** Reads with these archived events beside those in the database. Nothing is written, unless they are too many to hold in memory. */
const readWith = <T>(services: Reading, tenant: Tenant, seqs: readonly number[], readFrom: (db: Db) => Promise<T>) =>
  orUnavailable(
    (async () => {
      const lines = await readArchivedLines(services, tenant, seqs);
      return lines
        ? readFrom(withLines(services.db, tenant, lines, true))
        : withArchived(services, tenant, seqs, readFrom);
    })(),
  );
