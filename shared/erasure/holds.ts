import { z } from 'zod';
import { conflict } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { selectEvents } from '#shared/packs/store/pack_scope.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { ErasureSubject } from './erasures.ts';
import { eventsWith } from './subject_events.ts';

const Hold = z.object({ case_id: z.string(), reason: z.string() });

/** Throws `conflict` when a case on legal hold concerns events of the subject, which must be kept. */
export async function needFree(db: Db, tenant: Tenant, subject: ErasureSubject): Promise<void> {
  const { org_id, environment } = tenant;
  const holds = await db.any(sql.type(Hold)`
    select case_id, reason from case_holds where org_id = ${org_id} and environment = ${environment} order by case_id`);
  if (holds.length === 0) return;
  const events = await eventsWith(db, tenant, subject);
  for (const { case_id, reason } of holds) {
    const seqs = sql.array([...(await selectEvents(db, tenant, { case_id }))], 'int8');
    if (await db.exists(sql.unsafe`select from ${events} and e.chain_seq = any(${seqs})`))
      throw conflict(`The case ${case_id} is on hold (${reason}) and needs this. Release the hold first.`);
  }
}
