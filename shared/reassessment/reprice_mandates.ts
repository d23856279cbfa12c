import { z } from 'zod';
import { endOfEffect, widest } from '#shared/assessment/judge_plan.ts';
import { loadMandates } from '#shared/assessment/mandate_set.ts';
import type { PaymentSum } from '#shared/assessment/paid.ts';
import { loadPaid, type PaidMap, paidKey, savePaid } from '#shared/assessment/paid_store.ts';
import { type LoggedEvent, Milliseconds } from '#shared/events/ranges/load.ts';
import { type Late, requestReevaluations } from '#shared/events/ranges/rechecks.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Position } from '#shared/mandates/evaluation.ts';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { forgetBooks } from './apply_mandates.ts';

/**
 * Enters the prices of events, which had none, into what was paid under mandates, and has those events and every later payment that
 * counted with them evaluated again.
 */
export async function repriceMandates(
  tx: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  now: number,
): Promise<void> {
  const paid = await loadPaid(tx, tenant, [...new Set(events.map(({ payment_id }) => payment_id))]);
  const judged = await placesOf(tx, tenant, events);
  const mandate_ids = [...new Set([...judged, ...paid.values()].map(({ mandate_id }) => mandate_id))];
  if (mandate_ids.length === 0) return;
  const earliest = Math.min(...judged.map(({ at }) => at), ...[...paid.values()].map(({ paid }) => placeOf(paid).at));
  const mandates = await loadMandates(tx, tenant, { agent_ids: [], mandate_ids, earliest });

  const late = new Map<string, Late>();
  const reopen = (mandate_id: string, from: Position) => {
    const reopened = { from, until: endOfEffect(mandates, mandate_id, from.at) };
    late.set(mandate_id, widest(late.get(mandate_id) ?? reopened, reopened));
  };
  for (const { mandate_id, at, seq } of judged) reopen(mandate_id, { at, seq });
  const changed: PaidMap = new Map();
  for (const { mandate_id, payment_id, paid: former } of paid.values()) {
    const agent_id = mandates.versionAt(mandate_id, placeOf(former).at)?.agent_id;
    const own = events.filter(event => event.payment_id === payment_id && event.agent_id === agent_id);
    const now_paid = withPrices(former, own);
    if (now_paid === former) continue;
    changed.set(paidKey(mandate_id, payment_id), { mandate_id, payment_id, paid: now_paid });
    reopen(mandate_id, placeOf(former));
  }
  await savePaid(tx, tenant, changed);
  await forgetBooks(tx, tenant, [...new Set([...changed.values()].map(({ mandate_id }) => mandate_id))]);
  await requestReevaluations(tx, tenant, late, now);
}

const placeOf = ({ paid, latest }: PaymentSum): Position => paid ?? latest;

/** A payment with the prices of some of its events, which counted as nothing in dollars; itself where none of them counts. */
function withPrices(paid: PaymentSum, events: readonly LoggedEvent[]): PaymentSum {
  const counted = events.find(({ chain_seq }) => chain_seq === paid.counted?.seq);
  const refunds = paid.refunded_in === null ? [] : events.filter(({ type }) => type === 'payment.refunded');
  if (!counted && refunds.length === 0) return paid;
  const refunded = refunds.reduce((sum, { usd_micro }) => sum + (usd_micro ?? 0n), 0n);
  return {
    ...paid,
    usd_micro: counted ? counted.usd_micro : paid.usd_micro,
    refunded_usd_micro: paid.refunded_usd_micro + refunded,
  };
}

const Place = z.object({ mandate_id: z.string(), at: Milliseconds, seq: z.number() });

/** Where events stand that were held against mandates. */
const placesOf = (tx: Db, { org_id, environment }: Tenant, events: readonly LoggedEvent[]) =>
  tx.any(sql.type(Place)`
    select distinct mandate_id, position_at as at, position_seq as seq from mandate_evaluations
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${columnOf(events, 'chain_seq', 'int8')})`);
