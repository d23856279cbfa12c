import type { ExecutionContext } from 'ava';
import { createErasure, findErasure, type ErasureSubject } from '#shared/erasure/erasures.ts';
import { advanceErasure, runErasure } from '#shared/erasure/run_erasure.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import type { Pool } from '#shared/platform/db.ts';
import { columnsWith } from './every_text.ts';
import { signedLog } from './signed_log.ts';

type Erasing = Parameters<typeof runErasure>[0] & { db: Pool };

/** Erases a subject, as somebody asked for; answers with the erasure. */
export async function eraseSubject(services: Erasing, tenant: Tenant, subject: ErasureSubject) {
  const asked = { ground: 'Request 4711', requested_by: null, now: Date.now() };
  const { id } = await createErasure(services.db, tenant, subject, asked);
  await runErasure(services, tenant, id);
  return findErasure(services.db, tenant, id);
}

/** A world with a signed log from which things are erased. */
export async function erasing(t: ExecutionContext) {
  const here = await signedLog(t);
  const { services, tenant, db, database } = here;
  const begin = async (subject: ErasureSubject, of = tenant) =>
    (await createErasure(db, of, subject, { ground: 'Request 4711', requested_by: null, now: Date.now() })).id;
  return {
    ...here,
    begin,
    step: (id: string) => advanceErasure(services, tenant, id),
    erase: (subject: ErasureSubject) => eraseSubject(services, tenant, subject),
    verify: (of = tenant) => verifyLog(services, of),
    columnsWith: (text: string) => columnsWith(database.owner_url, text),
  };
}
