import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { type Payment, spendOf, withEvent } from '#shared/events/log/payment.ts';
import { type LoggedEvent, paymentKey, readEvents } from '#shared/events/ranges/load.ts';
import { Id } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

export const AlertEvidence = z
  .object({
    payments: z.int().min(0).meta({ description: 'that the explanation is about' }),
    settled: z.int().min(0).meta({ description: 'how many of them were settled' }),
    spend_usd_micro: z.string().meta({
      description: 'what they cost, in millionths of a dollar; without what could not be priced',
      examples: ['80000'],
    }),
    event_ids: z
      .array(Id('evt'))
      .meta({ description: 'every event of these payments up to then, newest first, at most 10,000' }),
    other_event_ids: z
      .array(Id('evt'))
      .meta({ description: 'what else was added to the alert, newest first, at most 100' }),
  })
  .meta({
    id: 'AlertEvidence',
    description: 'The payments that the explanation of an alert is about, as they stood when it was written.',
  });
export type AlertEvidence = z.infer<typeof AlertEvidence>;

/** Events read per alert: a finding counts at most 256 payments; only a mandate that is broken all year has more. */
const MOST_COUNTED = 10_000;
const MOST_OTHERS = 100;

const LinkedRow = z.object({
  alert_id: z.string(),
  counted: z.array(z.object({ seq: z.int(), id: z.string() })),
  others: z.array(z.string()),
});

/**
 * The evidence behind the explanations of alerts, by alert: counted from the linked events, by the same rule as spend everywhere. It is as
 * of the explanation; later events are in the payments' own histories.
 */
export async function readEvidence(
  db: Db,
  tenant: Tenant,
  alert_ids: readonly string[],
): Promise<Map<string, AlertEvidence>> {
  const linked = await linkedEvents(db, tenant, alert_ids);
  const seqs = new Set(linked.flatMap(({ counted }) => counted.map(({ seq }) => seq)));
  const events = new Map((await readEvents(db, tenant, [...seqs])).map(event => [event.chain_seq, event]));
  return new Map(
    linked.map(({ alert_id, counted, others }) => [
      alert_id,
      {
        ...sumOf(counted.toReversed().flatMap(({ seq }) => events.get(seq) ?? [])),
        event_ids: counted.map(({ id }) => id),
        other_event_ids: others,
      },
    ]),
  );
}

/** `events` in the order of the log. */
function sumOf(events: readonly LoggedEvent[]): Pick<AlertEvidence, 'payments' | 'settled' | 'spend_usd_micro'> {
  const payments = new Map<string, Payment>();
  for (const event of events) payments.set(paymentKey(event), withEvent(payments.get(paymentKey(event)), event));
  const all = [...payments.values()];
  return {
    payments: all.length,
    settled: all.filter(({ settled }) => settled).length,
    spend_usd_micro: String(all.reduce((sum, payment) => sum + spendOf(payment), 0n)),
  };
}

const linkedEvents = (db: Db, { org_id, environment }: Tenant, alert_ids: readonly string[]) =>
  db.any(sql.type(LinkedRow)`
    select a.id as alert_id, c.list as counted, o.list as others
    from alerts a
    cross join lateral (
      select coalesce(json_agg(json_build_object('seq', n.chain_seq, 'id', n.event_id) order by n.chain_seq desc), '[]') as list from (
        select chain_seq, event_id from alert_events
        where org_id = ${org_id} and environment = ${environment} and alert_id = a.id and counted
        order by chain_seq desc limit ${MOST_COUNTED}) n) c
    cross join lateral (
      select coalesce(json_agg(n.event_id order by n.chain_seq desc), '[]') as list from (
        select chain_seq, event_id from alert_events
        where org_id = ${org_id} and environment = ${environment} and alert_id = a.id and not counted
        order by chain_seq desc limit ${MOST_OTHERS}) n) o
    where a.org_id = ${org_id} and a.environment = ${environment} and a.id = any(${sql.array([...alert_ids], 'text')})`);
