import type { Tenant } from '#shared/interface/schemas.ts';
import type { Db } from '#shared/platform/db.ts';
import { nextEvents } from './empty_events.ts';
import { countFiles } from './erase_files.ts';
import type { ErasureCounts, Subject } from './erasures.ts';
import { countNamed, partiesOf } from './parties.ts';
import { findPiece } from './subject_events.ts';

/** Counts what an erasure of a subject would remove, by reading all of it. Changes nothing. */
export async function countErasure(db: Db, tenant: Tenant, subject: Subject): Promise<ErasureCounts> {
  const counts = { events: 0, evidence_values: 0, names: 0, packs: 0 };
  if (subject.kind === 'evidence') {
    counts.evidence_values = (await findPiece(db, tenant, subject.id)).is_there ? 1 : 0;
    counts.packs = counts.evidence_values > 0 ? await countFiles(db, tenant, subject) : 0;
    return counts;
  }
  for (let after: number | null = 0; after !== null;) {
    const { events, last } = await nextEvents(db, tenant, subject, after);
    counts.events += events.length;
    counts.evidence_values += events.reduce((sum, { values }) => sum + values, 0);
    after = last;
  }
  counts.names = await countNamed(db, tenant, await partiesOf(db, tenant, subject));
  if (counts.events + counts.names > 0) counts.packs = await countFiles(db, tenant, subject);
  return counts;
}
