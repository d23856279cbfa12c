import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/** How long reported refunds of a charge are remembered; later ones do not occur. */
export const REFUNDS_KEPT = 400 * DAY;

/** A notice of a refund. Amounts are minor units, as text. */
export type RefundNotice = {
  charge_id: string;
  /** Identifies the notice among those of the charge: the id of the refund, or the total refunded so far. */
  name: string;
  amount: string;
  /** The total refunded of the charge with this refund; null when the notice is about the refund alone. */
  up_to: string | null;
};

const RefundRow = z.object({
  name: z.string(),
  amount: z.string(),
  up_to: z.string().nullable(),
  /** The part that no other notice had reported, and the event that reports it; null if there is none. */
  counted: z.string(),
  event_id: z.string().nullable(),
});
export type RefundRow = z.infer<typeof RefundRow>;

/**
 * What a notice adds to earlier ones. Some report a refund by its id, others the charge's total refunded so far, and neither refers to the
 * other: the refunded amount is the larger of both sums. `event_id` is that of its event, if it makes one.
 */
export function addNotice(
  notices: readonly RefundRow[],
  { name, amount, up_to }: RefundNotice,
  event_id: string,
): RefundRow {
  const existing = notices.find(other => other.name === name);
  if (existing) return existing;
  const counted = notices.reduce((sum, other) => sum + BigInt(other.counted), 0n);
  const new_sum = refundedBy([...notices, { amount, up_to }]);
  const more = new_sum > counted ? new_sum - counted : 0n;
  return { name, amount, up_to, counted: String(more), event_id: more > 0n ? event_id : null };
}

/** The minimum refunded according to these notices. */
function refundedBy(notices: readonly Pick<RefundRow, 'amount' | 'up_to'>[]): bigint {
  let by_id = 0n;
  const steps: { from: bigint; up_to: bigint }[] = [];
  for (const { amount, up_to } of notices) {
    if (up_to === null) by_id += BigInt(amount);
    else steps.push({ from: BigInt(up_to) - BigInt(amount), up_to: BigInt(up_to) });
  }
  let [reached, by_charge] = [0n, 0n];
  for (const { from, up_to } of steps.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (up_to <= reached) continue;
    by_charge += up_to - (from > reached ? from : reached);
    reached = up_to;
  }
  return by_id > by_charge ? by_id : by_charge;
}

type SourceOf = Tenant & { id: string };

/**
 * Records a refund that a source reported, and returns how much of it was new. `idOf` makes the event's id: from `name` if another event of
 * the charge has it already. The same notice gets the same result, so the process may end before its event is in the log.
 */
export const noteRefund = (
  db: Db,
  source: SourceOf,
  notice: RefundNotice,
  idOf: (name: string | null) => string,
  now: number,
): Promise<RefundRow> =>
  db.transaction(async tx => {
    await tx.query(sql.unsafe`
      insert into refunds_told (org_id, environment, source_id, charge_id, told_at)
      values (${source.org_id}, ${source.environment}, ${source.id}, ${notice.charge_id}, ${timestamp(now)})
      on conflict do nothing`);
    const notices = await holdTold(tx, source, notice);
    const event_id = idOf(null);
    const isTaken = notices.some(other => other.event_id === event_id);
    const added = addNotice(notices, notice, isTaken ? idOf(notice.name) : event_id);
    if (!notices.includes(added)) await saveTold(tx, source, notice, [...notices, added], now);
    return added;
  });

/** Forgets a notice whose event the log refused: another may report the refund. */
export const forgetRefund = (db: Db, source: SourceOf, notice: RefundNotice, now: number): Promise<void> =>
  db.transaction(async tx => {
    const notices = await holdTold(tx, source, notice);
    await saveTold(
      tx,
      source,
      notice,
      notices.filter(({ name }) => name !== notice.name),
      now,
    );
  });

const ofCharge = ({ org_id, environment, id }: SourceOf, { charge_id }: RefundNotice) => sql.fragment`
  org_id = ${org_id} and environment = ${environment} and source_id = ${id} and charge_id = ${charge_id}`;

/** A concurrent caller waits until the transaction ends. */
const holdTold = async (tx: Db, source: SourceOf, notice: RefundNotice): Promise<RefundRow[]> =>
  (await tx.maybeOneFirst(sql.type(z.object({ told: z.array(RefundRow) }))`
    select told from refunds_told where ${ofCharge(source, notice)} for update`)) ?? [];

const saveTold = (tx: Db, source: SourceOf, notice: RefundNotice, notices: readonly RefundRow[], now: number) =>
  tx.query(sql.unsafe`
    update refunds_told set told = ${JSON.stringify(notices)}::jsonb, told_at = ${timestamp(now)}
    where ${ofCharge(source, notice)}`);
