import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { Candidate, type RetentionPage, type RetentionLook, type Retained } from './retained.ts';

/** Events read at most in one look, with or without evidence. */
const STRETCH = 2_000;
/** Events whose evidence one statement empties: each has up to 16 pieces. */
const MOST_EVENTS = 50;

/**
 * The values of evidence. Their SHA-256, which is in the log, stays. Signed inputs repeat the values, and go with them. Only for analyzed
 * events, since verification reads the values.
 */
export const evidence: Retained = {
  fewest_days: 120,
  why: 'a payment by card can be disputed for 120 days',
  most_days: null,
  stays: true,
  topics: ['verdicts'],
  look: lookAlongLog,
  async remove(tx, { org_id, environment }, keys) {
    const emptied = await tx.any(sql.type(Emptied)`
      update evidence v set value = null from events e
      where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = any(${sql.array(keys.map(Number), 'int8')})
        and v.org_id = ${org_id} and v.environment = ${environment} and v.event_id = e.id and v.value is not null
      returning v.event_id`);
    const event_ids = [...new Set(emptied.map(({ event_id }) => event_id))];
    await tx.query(sql.unsafe`select remove_signed_inputs(${org_id}, ${environment}, ${sql.array(event_ids, 'text')})`);
    return emptied.length;
  },
};

const Emptied = z.object({ event_id: z.string() });
const Stretch = z.object({ last: z.int().nullable() });

async function lookAlongLog(
  db: Db,
  { org_id, environment }: Tenant,
  { after, before, limit }: RetentionPage,
): Promise<RetentionLook> {
  const start = Number(after);
  const most = Math.min(limit, MOST_EVENTS);
  const last = await db.oneFirst(sql.type(Stretch)`
    select max(chain_seq) as last from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq > ${start} and chain_seq <= ${start + STRETCH}
      and chain_seq <= (select seq from detection_cursors where org_id = ${org_id} and environment = ${environment})
      and received_at < ${before}`);
  if (last === null) return { candidates: [], next: null };
  const candidates = await db.any(sql.type(Candidate)`
    select e.chain_seq::text as key, e.received_at as at, array[e.id] as about, false as needed from events e
    where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq > ${start} and e.chain_seq <= ${last}
      and e.evidence_count > 0 and exists (
        select from evidence v
        where v.org_id = e.org_id and v.environment = e.environment and v.event_id = e.id and v.value is not null)
    order by e.chain_seq limit ${most}`);
  return { candidates, next: candidates.length < most ? String(last) : (candidates.at(-1)?.key ?? null) };
}
