import { z } from 'zod';
import type { PaymentSum } from './paid.ts';
import { packedRows, type Statement, writeInTurn } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import type { Position } from '#shared/mandates/evaluation.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** The amounts paid under mandates, by `paidKey`. */
export type PaidMap = Map<string, { mandate_id: string; payment_id: string; paid: PaymentSum }>;

export const paidKey = (mandate_id: string, payment_id: string) => `${mandate_id} ${payment_id}`;

/** The stored amounts of these payments under any mandate. */
export async function loadPaid(
  tx: Db,
  { org_id, environment }: Tenant,
  payment_ids: readonly string[],
): Promise<PaidMap> {
  const rows = await tx.any(sql.type(PaidRow)`
    select mandate_id, payment_id, paid_at, paid_seq, moved, latest_at, latest_seq, undone, counted_at, counted_seq, alike, denomination, value,
      usd_micro, refunded_in, refunded_value, refunded_usd_micro
    from mandate_payments
    where org_id = ${org_id} and environment = ${environment} and payment_id = any(${sql.array([...payment_ids], 'text')})`);
  return new Map(
    rows.map(
      ({ mandate_id, payment_id, paid_at, paid_seq, latest_at, latest_seq, counted_at, counted_seq, ...row }) => [
        paidKey(mandate_id, payment_id),
        {
          mandate_id,
          payment_id,
          paid: {
            ...row,
            paid: positionOf(paid_at, paid_seq),
            latest: { at: latest_at, seq: latest_seq },
            counted: positionOf(counted_at, counted_seq),
          },
        },
      ],
    ),
  );
}

/** The condition that a payment may have cost something else before, see `isSteady`. */
export const everChanged = sql.fragment`latest_seq <> paid_seq and not (alike and not undone and refunded_in is null)`;

export const savePaid = (tx: Db, tenant: Tenant, payments: PaidMap): Promise<void> =>
  writeInTurn(tx, [() => paidStatement(tenant, payments)]);

/** The statement that writes the payments as they are now. */
export function paidStatement({ org_id, environment }: Tenant, payments: PaidMap): Statement | null {
  if (payments.size === 0) return null;
  const rows = [...payments.values()].map(({ mandate_id, payment_id, paid }) => [
    mandate_id,
    payment_id,
    timeOf(paid.paid),
    paid.paid?.seq ?? null,
    paid.moved,
    timeOf(paid.latest),
    paid.latest.seq,
    paid.undone,
    timeOf(paid.counted),
    paid.counted?.seq ?? null,
    paid.alike,
    paid.denomination,
    String(paid.value),
    paid.usd_micro === null ? null : String(paid.usd_micro),
    paid.refunded_in,
    String(paid.refunded_value),
    String(paid.refunded_usd_micro),
  ]);
  return sql.unsafe`
    insert into mandate_payments (org_id, environment, mandate_id, payment_id, paid_at, paid_seq, moved, latest_at, latest_seq, undone,
      counted_at, counted_seq, alike, denomination, value, usd_micro, refunded_in, refunded_value, refunded_usd_micro)
    select ${org_id}, ${environment}, r.* from ${packedRows(rows, columnTypes)} as r
    on conflict (org_id, environment, mandate_id, payment_id) do update set
      paid_at = excluded.paid_at, paid_seq = excluded.paid_seq, moved = excluded.moved, latest_at = excluded.latest_at, latest_seq = excluded.latest_seq,
      undone = excluded.undone, counted_at = excluded.counted_at, counted_seq = excluded.counted_seq, alike = excluded.alike,
      denomination = excluded.denomination, value = excluded.value, usd_micro = excluded.usd_micro,
      refunded_in = excluded.refunded_in, refunded_value = excluded.refunded_value, refunded_usd_micro = excluded.refunded_usd_micro`;
}

const columnTypes = [
  'text',
  'text',
  'timestamptz',
  'int8',
  'bool',
  'timestamptz',
  'int8',
  'bool',
  'timestamptz',
  'int8',
  'bool',
  'text',
  'numeric',
  'numeric',
  'text',
  'numeric',
  'numeric',
];

const positionOf = (at: number | null, seq: number | null): Position | null =>
  at === null || seq === null ? null : { at, seq };
const timeOf = (position: Position | null) => position && timestamp(position.at);

const Whole = z.string().transform(value => BigInt(value));

/** What a payment costs, and what was refunded of it, as a row has them. */
export const PaidMoney = z.object({
  denomination: z.string(),
  value: Whole,
  usd_micro: Whole.nullable(),
  refunded_in: z.string().nullable(),
  refunded_value: Whole,
  refunded_usd_micro: Whole,
});

const PaidRow = PaidMoney.extend({
  mandate_id: z.string(),
  payment_id: z.string(),
  paid_at: Milliseconds.nullable(),
  paid_seq: z.number().nullable(),
  moved: z.boolean(),
  latest_at: Milliseconds,
  latest_seq: z.number(),
  undone: z.boolean(),
  counted_at: Milliseconds.nullable(),
  counted_seq: z.number().nullable(),
  alike: z.boolean(),
});
