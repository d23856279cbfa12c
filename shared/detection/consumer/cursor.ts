import { z } from 'zod';
import { noSpreads, Spreads } from '#shared/detection/model/spreads.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const Cursor = z.object({ seq: z.number() });

/** Whether a process is judging events of a log now. */
export const isCursorHeld = async (db: Db, { org_id, environment }: Tenant): Promise<boolean> =>
  (await db.maybeOneFirst(sql.type(Cursor)`
    select seq from detection_cursors where org_id = ${org_id} and environment = ${environment}
    for key share skip locked`)) === null;

/** Waits for the cursor of a log and holds it until the transaction ends; returns its position. Only its holder judges the log's events. */
export async function lockCursor(tx: Db, { org_id, environment }: Tenant): Promise<number> {
  const seq = await tx.maybeOneFirst(sql.type(Cursor)`
    select seq from detection_cursors where org_id = ${org_id} and environment = ${environment} for update`);
  return seq ?? 0;
}

const Learned = z.object({ spreads: Spreads.nullable() });

/** What was learned of the organization so far. */
export const readSpreads = async (tx: Db, { org_id, environment }: Tenant): Promise<Spreads> =>
  (await tx.maybeOneFirst(sql.type(Learned)`
    select spreads from detection_cursors where org_id = ${org_id} and environment = ${environment}`)) ?? noSpreads();
