import type { Tenant } from '#shared/interface/schemas.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Db } from '#shared/platform/db.ts';
import { namesOfSubject, nextEvents } from './empty_events.ts';
import { countFiles } from './erase_files.ts';
import type { ErasureCounts, ErasureSubject } from './erasures.ts';
import { addWords, findNaming, forgetWords } from './erase_words.ts';
import { wordsOfKey } from './key_words.ts';
import { countNamed, partiesOf, wordsOf } from './parties.ts';
import { findPiece } from './subject_events.ts';

/** Counts what an erasure of a subject would remove, by reading all of it. Changes nothing. */
export async function countErasure(db: Db, tenant: Tenant, subject: ErasureSubject): Promise<ErasureCounts> {
  const counts = { events: 0, evidence_values: 0, names: 0, packs: 0, saved_views: 0 };
  if (subject.kind === 'evidence') {
    counts.evidence_values = (await findPiece(db, tenant, subject.id)).is_there ? 1 : 0;
    counts.packs = counts.evidence_values > 0 ? await countFiles(db, tenant, subject) : 0;
    return counts;
  }
  const words: string[] = [];
  for (let after: number | null = 0; after !== null;) {
    const { events, last } = await nextEvents(db, tenant, subject, after);
    counts.events += events.length;
    counts.evidence_values += events.reduce((sum, { values }) => sum + values, 0);
    words.push(...namesOfSubject(events, subject));
    after = last;
  }
  const parties = await partiesOf(db, tenant, subject);
  counts.names = await countNamed(db, tenant, parties);
  words.push(...(await wordsOf(db, tenant, parties)).flatMap(wordsOfKey));
  const { saved_views, exports } = await findOfWords(db, tenant, subject, words);
  counts.saved_views = saved_views;
  if (counts.events + counts.names > 0) counts.packs = await countFiles(db, tenant, subject, exports);
  return counts;
}

/** What the words would be found in. They are stored for as long as that takes, under an id of no erasure. */
const findOfWords = (db: Db, tenant: Tenant, subject: ErasureSubject, words: readonly string[]) =>
  db.transaction(async tx => {
    const id = newId('ers', Date.now());
    await addWords(tx, tenant, id, words);
    const of_words = await findNaming(tx, tenant, { id, subject });
    await forgetWords(tx, tenant, id);
    return of_words;
  });
