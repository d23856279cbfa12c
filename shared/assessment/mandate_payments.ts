import { z } from 'zod';
import { type Db, sql, timeText } from '#shared/platform/db.ts';
import { eventsWithVerdicts } from '#shared/events/log/event_filters.ts';
import { Event, eventColumns } from '#shared/events/log/events.ts';
import { MandateEvaluationFull } from '#shared/events/log/event_verdicts.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** An event with its evaluation by one mandate. */
export const MandatePayment = Event.extend({
  evaluation: MandateEvaluationFull.omit({ mandate_id: true }).meta({
    description: 'by the mandate that is asked about; the latest, which is what holds',
  }),
}).meta({ id: 'MandatePayment' });
type MandatePayment = z.infer<typeof MandatePayment>;

export const MandatePaymentFilters = z.strictObject({
  result: z.enum(['breach']).optional().meta({ description: 'only the events that break the mandate' }),
});

const Row = MandatePayment.extend({ position: z.string() });

/** The events that were checked against a mandate, the latest paid first, each with its evaluation. */
export async function listMandatePayments(
  db: Db,
  { org_id, environment }: Tenant,
  mandate_id: string,
  { result }: z.infer<typeof MandatePaymentFilters>,
  page: PageRequest,
): Promise<Page<MandatePayment>> {
  const [, at, chain_seq] = /^(\S+) (\d+)$/.exec(page.after ?? '') ?? [];
  const rows = await db.any(sql.type(Row)`
    select ${eventColumns}, m.evaluation, m.position from (
      select n.chain_seq, n.position_at, ${timeText(sql.fragment`n.position_at`)} || ' ' || n.chain_seq as position,
        jsonb_build_object('version', n.version, 'result', n.result, 'constraints', n.constraints::jsonb,
          'at', ${timeText(sql.fragment`n.at`)}) as evaluation
      from mandate_evaluations n
      where ${sql.and([
        sql.fragment`n.org_id = ${org_id} and n.environment = ${environment} and n.mandate_id = ${mandate_id}`,
        result !== undefined && sql.fragment`n.result = ${result}`,
        at !== undefined &&
          sql.fragment`(n.position_at, n.chain_seq) < (${at}::timestamptz, ${chain_seq ?? '0'}::bigint)`,
        // A further row is written when the result changes; the last one holds.
        sql.fragment`not exists (
          select from mandate_evaluations l where l.org_id = n.org_id and l.environment = n.environment
            and l.chain_seq = n.chain_seq and l.mandate_id = n.mandate_id and l.number > n.number)`,
      ])}
      order by n.position_at desc, n.chain_seq desc limit ${page.limit + 1}) m
    join ${eventsWithVerdicts} on e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = m.chain_seq
    order by m.position_at desc, m.chain_seq desc`);
  const { data, next_cursor } = pageOf(rows, page, ({ position }) => position);
  return { data: data.map(payment => MandatePayment.parse(payment)), next_cursor };
}
