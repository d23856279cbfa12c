import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/** How long the first capture of an authorization is remembered: goods that are sent one by one are captured over months at most. */
export const CAPTURES_KEPT = 400 * DAY;

/** A notice that money of an authorization was captured, or that a capture failed. Ids are the payment service's, whichever source of the organization tells of them. */
export type CaptureNotice = { authorization_id: string; capture_id: string };

/** No id of a payment service is longer. */
const LONGEST_ID = 255;

/** The notice with these ids; null where one is missing, or none. */
export const captureNotice = (authorization_id: string | null, capture_id: string | null): CaptureNotice | null =>
  authorization_id && capture_id && Math.max(authorization_id.length, capture_id.length) <= LONGEST_ID
    ? { authorization_id, capture_id }
    : null;

/**
 * The id of the payment that a capture is. An authorization may be captured in parts, each of which is money of its own: the first is what
 * became of the authorization and goes by its id, every other is a payment that goes by the id of the capture. The same notice gets the same
 * answer. A capture that failed is noted only where it was told before: `isMade` says that it is one that succeeded.
 */
export async function paymentOfCapture(
  db: Db,
  { org_id, environment }: Tenant,
  { authorization_id, capture_id }: CaptureNotice,
  { isMade, now }: { isMade: boolean; now: number },
): Promise<string> {
  if (isMade)
    await db.query(sql.unsafe`
      insert into captures_told (org_id, environment, authorization_id, capture_id, told_at)
      values (${org_id}, ${environment}, ${authorization_id}, ${capture_id}, ${timestamp(now)})
      on conflict do nothing`);
  const first = await db.maybeOneFirst(sql.type(z.object({ capture_id: z.string() }))`
    select capture_id from captures_told where org_id = ${org_id} and environment = ${environment} and authorization_id = ${authorization_id}`);
  return first === null || first === capture_id ? authorization_id : capture_id;
}

/** Forgets a capture whose event the log refused, and never took: the next one is what became of the authorization. */
export const forgetCapture = async (
  db: Db,
  { org_id, environment }: Tenant,
  { authorization_id, capture_id }: CaptureNotice,
  event_id: string,
): Promise<void> => {
  await db.query(sql.unsafe`
    delete from captures_told
    where org_id = ${org_id} and environment = ${environment} and authorization_id = ${authorization_id} and capture_id = ${capture_id}
      and not exists (select from events where org_id = ${org_id} and environment = ${environment} and id = ${event_id})`);
};
