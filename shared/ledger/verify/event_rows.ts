import { z } from 'zod';
import { type Db, sql, timeText } from '#shared/platform/db.ts';
import { ReportedColumns, selectedColumns } from '#shared/events/log/event_columns.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const text = z.string().nullable();

const EventRow = ReportedColumns.extend({
  chain_seq: z.number(),
  id: z.string(),
  occurred_at: text,
  received_at: text,
  event_digest: z.string(),
  leaf_hash: z.string(),
  input: z.string(),
  usd_rate: z.looseObject({ usd_per_unit: z.unknown() }).nullable().catch({ usd_per_unit: null }),
  agent_id: z.string(),
  agent_external_id: text,
  has_agent: z.boolean(),
  owner_id: z.string(),
  owner_external_id: text,
  has_owner: z.boolean(),
  payee_id: z.string(),
  payee_key: text,
  source_id: z.string(),
  has_source: z.boolean(),
});
/** A stored event, hashes in hex, times as text (null: not a valid event time), with the records it refers to. */
export type EventRow = z.infer<typeof EventRow>;

const { occurred_at: _, ...columnsAsTheyAre } = ReportedColumns.shape;
const reportedColumns = selectedColumns(Object.keys(columnsAsTheyAre), 'e');

/** The events of a log from one `chain_seq` to another, both included, in order. */
export const readEventRows = (db: Db, { org_id, environment }: Tenant, from: number, to: number) =>
  db.any(sql.type(EventRow)`
    select e.chain_seq, e.id, ${timeText(sql.fragment`e.received_at`)} as received_at, ${timeText(sql.fragment`e.occurred_at`)} as occurred_at,
      encode(e.event_digest, 'hex') as event_digest, encode(e.leaf_hash, 'hex') as leaf_hash, e.input, e.usd_rate, ${reportedColumns},
      e.agent_id, a.external_id as agent_external_id, a.id is not null as has_agent,
      e.owner_id, o.external_id as owner_external_id, o.id is not null as has_owner, e.payee_id, p.key as payee_key, e.source_id,
      s.id is not null as has_source
    from events e
    left join agents a on a.org_id = e.org_id and a.environment = e.environment and a.id = e.agent_id
    left join owners o on o.org_id = e.org_id and o.environment = e.environment and o.id = e.owner_id
    left join payees p on p.org_id = e.org_id and p.environment = e.environment and p.id = e.payee_id
    left join sources s on s.org_id = e.org_id and s.environment = e.environment and s.id = e.source_id
    where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq >= ${from} and e.chain_seq <= ${to}
    order by e.chain_seq`);
