import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** The tables of texts that may repeat a name, as `erase_words` in the database knows them. */
const tables = [
  'alerts',
  'alert_actions',
  'incidents',
  'shadow_findings',
  'backtests',
  'cases',
  'case_timeline',
  'case_holds',
  'screenings',
  'mandates',
  'mandate_versions',
  'packs',
  'audit_log',
  'webhook_attempts',
  'unread_webhooks',
] as const;

/** So many words are looked for at once. */
const AT_ONCE = 200;

const Place = z.object({ part: z.int(), table: z.int(), after: z.string() });
const Looked = z.object({ last: z.string().nullable() });

/**
 * Takes the words of an erasure out of the next rows that may repeat them. `after` says where it stands, empty at first; returns where to go on, null
 * at the end.
 */
export async function eraseWords(
  tx: Db,
  { org_id, environment }: Tenant,
  { id, words, after }: { id: string; words: readonly string[]; after: string },
): Promise<string | null> {
  if (words.length === 0) return null;
  const place = after === '' ? { part: 0, table: 0, after: '' } : Place.parse(JSON.parse(after));
  const table = tables[place.table];
  if (table === undefined) {
    // What is repeated to a request that was answered before, for a day at most.
    await tx.query(sql.unsafe`
      update idempotency_keys set answer = null
      where org_id = ${org_id} and environment = ${environment} and answer ~* erased_pattern(${org_id}, ${environment}, ${id}, ${place.part})`);
    const part = place.part + 1;
    return part * AT_ONCE < words.length ? JSON.stringify({ part, table: 0, after: '' }) : null;
  }
  const { last } = await tx.one(sql.type(Looked)`
    select last from erase_words(${org_id}, ${environment}, ${id}, ${table}, ${place.part}, ${place.after})`);
  return JSON.stringify(
    last === null ? { part: place.part, table: place.table + 1, after: '' } : { ...place, after: last },
  );
}
