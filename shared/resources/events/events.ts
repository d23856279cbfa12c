import { z } from 'zod';
import { type Db, sql } from '#shared/db.ts';
import { EventType, PayeeType, PaymentStatus, Rail } from '#shared/event_types.ts';
import { Id } from '#shared/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/page.ts';
import { findMatches } from '#shared/resources/events/event_search.ts';
import { type Tenant, Timestamp } from '#shared/schemas.ts';

const Asset = z
  .object({ network: z.string(), address: z.string(), symbol: z.string().optional(), decimals: z.int().optional() })
  .meta({ id: 'Asset' });

export const Amount = z
  .object({
    value: z.string().meta({ description: 'decimal integer in minor or atomic units' }),
    unit: z.enum(['minor', 'atomic']),
    currency: z.string().optional().meta({ description: 'ISO 4217 code, with unit `minor`' }),
    asset: Asset.optional(),
  })
  .meta({ id: 'Amount' });

const Payee = z
  .object({ key: z.string(), type: PayeeType.optional(), name: z.string().optional(), country: z.string().optional() })
  .meta({ id: 'EventPayee' });

export const Payment = z
  .object({
    payment_id: z.string(),
    rail: Rail,
    status: PaymentStatus,
    amount: Amount,
    amount_usd_minor: z.string().nullable().meta({ description: 'US cents; null when the amount cannot be priced' }),
    payee: Payee,
  })
  .meta({ id: 'Payment' });

const Verification = z
  .object({ result: z.enum(['verified', 'failed', 'inconclusive']), kind: z.string() })
  .meta({ id: 'VerificationSummary' });
const MandateEvaluation = z
  .object({ result: z.enum(['compliant', 'breach', 'unresolved']), mandate_id: Id('mnd') })
  .meta({ id: 'MandateEvaluationSummary' });

export const Event = z
  .object({
    id: Id('evt'),
    type: EventType,
    environment: z.enum(['sandbox', 'production']),
    occurred_at: Timestamp,
    received_at: Timestamp,
    source_id: Id('src'),
    agent_id: Id('agt'),
    owner_id: Id('own'),
    payee_id: Id('pye').nullable(),
    chain_seq: z.int(),
    payment: Payment,
    evidence_count: z.int(),
    verification: Verification.nullable(),
    mandate_evaluation: MandateEvaluation.nullable(),
  })
  .meta({ id: 'Event' });
export type Event = z.infer<typeof Event>;

const Evidence = z
  .object({
    id: Id('evd'),
    kind: z.string(),
    media_type: z.string().nullable(),
    encoding: z.enum(['utf8', 'base64']),
    label: z.string().nullable(),
    sha256: z.string(),
    value: z.unknown().meta({ description: 'text or object as sent; null when it was erased' }),
  })
  .meta({ id: 'Evidence' });

const Sent = z.record(z.string(), z.unknown()).nullable().meta({ description: 'as sent; null when it was not' });

/** What an event has beyond its row in the list: everything else that was sent, and where it stands in the log. */
export const EventDetail = Event.extend({
  mandate_id: Id('mnd').nullable(),
  description: z.string().nullable(),
  resource_url: z.string().nullable(),
  category: z.string().nullable(),
  instrument: Sent,
  failure: Sent,
  context: Sent,
  metadata: Sent,
  signature: z.string().nullable(),
  analyzed_at: Timestamp.nullable().meta({ description: 'when detection went through it; null until then' }),
  event_digest: z.string(),
  leaf_hash: z.string(),
  evidence: z.array(Evidence),
  input: z.record(z.string(), z.unknown()).meta({
    description:
      'the event as it was sent, normalised, each evidence value replaced by its SHA-256: event_digest is the SHA-256 of its RFC 8785 form',
  }),
}).meta({ id: 'EventDetail' });
export type EventDetail = z.infer<typeof EventDetail>;

export type EventFilters = {
  q?: string | undefined;
  agent_id?: string | undefined;
  owner_id?: string | undefined;
  payee_id?: string | undefined;
  rail?: string | undefined;
  status?: string | undefined;
  verification?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

const columns = sql.fragment`e.id, e.type, e.environment, e.occurred_at, e.received_at, e.source_id, e.agent_id, e.owner_id, e.payee_id,
  e.chain_seq, (e.input::jsonb -> 'payment') || jsonb_build_object('amount_usd_minor', e.amount_usd_minor::text) as payment,
  e.evidence_count, null as verification, null as mandate_evaluation`;

/** Events of a tenant, newest first by arrival, filtered. Reads as many index entries as it needs, never the whole log. */
export async function listEvents(
  db: Db,
  tenant: Tenant,
  filters: EventFilters,
  page: PageRequest,
): Promise<Page<Event>> {
  // No event has been verified yet: the verifiers are not part of this version.
  if (filters.verification !== undefined && filters.verification !== 'none') return { data: [], next_cursor: null };
  const { org_id, environment } = tenant;
  const { q, agent_id, owner_id, payee_id, rail, status, from, to } = filters;
  const where = sql.and([
    sql.fragment`e.org_id = ${org_id} and e.environment = ${environment}`,
    agent_id !== undefined && sql.fragment`e.agent_id = ${agent_id}`,
    owner_id !== undefined && sql.fragment`e.owner_id = ${owner_id}`,
    payee_id !== undefined && sql.fragment`e.payee_id = ${payee_id}`,
    rail !== undefined && sql.fragment`e.rail = ${rail}`,
    status !== undefined && sql.fragment`e.status = ${status}`,
    from !== undefined && sql.fragment`e.occurred_at >= ${from}`,
    to !== undefined && sql.fragment`e.occurred_at < ${to}`,
    page.after !== null && sql.fragment`e.chain_seq < ${page.after}::bigint`,
  ]);
  const matches = q === undefined ? null : await findMatches(db, tenant, q, where, page.limit + 1);
  const rows = await db.any(sql.type(Event)`
    select ${columns} from events e
    where ${where} and ${matches === null ? sql.fragment`true` : matches}
    order by e.chain_seq desc limit ${page.limit + 1}`);
  return pageOf(rows, page, event => event.chain_seq);
}

/** One event with its evidence. Null when the tenant has no such event. */
export async function findEvent(db: Db, { org_id, environment }: Tenant, id: string): Promise<EventDetail | null> {
  return db.maybeOne(sql.type(EventDetail)`
    select ${columns}, encode(e.event_digest, 'hex') as event_digest, encode(e.leaf_hash, 'hex') as leaf_hash, i.input,
      e.mandate_id, i.input ->> 'description' as description, i.input ->> 'resource_url' as resource_url, i.input ->> 'category' as category,
      i.input -> 'instrument' as instrument, i.input -> 'failure' as failure, i.input -> 'context' as context,
      i.input -> 'metadata' as metadata, i.input ->> 'signature' as signature,
      (select a.analyzed_at from analyzed_ranges a
        where a.org_id = e.org_id and a.environment = e.environment and a.to_seq >= e.chain_seq order by a.to_seq limit 1) as analyzed_at,
      coalesce((select jsonb_agg(jsonb_build_object('id', v.id, 'kind', v.kind, 'media_type', v.media_type, 'encoding', v.encoding,
          'label', v.label, 'sha256', encode(v.sha256, 'hex'),
          'value', case when v.is_object then v.value::jsonb else to_jsonb(v.value) end) order by v.position)
        from evidence v where v.org_id = e.org_id and v.environment = e.environment and v.event_id = e.id), '[]') as evidence
    from events e cross join lateral (select e.input::jsonb as input) i
    where e.org_id = ${org_id} and e.environment = ${environment} and e.id = ${id}`);
}
