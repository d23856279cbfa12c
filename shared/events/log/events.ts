import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { EventType, PayeeType, PaymentStatus, Rail } from '#shared/values/event_types.ts';
import { Id } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { positionsWithin } from './event_steps.ts';
import { hasRange } from './amount_range.ts';
import { type EventFilters, eventsWithVerdicts, positionsOf, verdictOf } from './event_filters.ts';
import {
  MandateEvaluationFull,
  MandateResult,
  VerificationResult,
  VerificationRun,
  verdictsOf,
} from './event_verdicts.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { rateSources } from '#shared/values/price_in_usd.ts';

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
export type Amount = z.infer<typeof Amount>;

const Payee = z
  .object({ key: z.string(), type: PayeeType.optional(), name: z.string().optional(), country: z.string().optional() })
  .meta({ id: 'EventPayee' });

export const EventPayment = z
  .object({
    payment_id: z.string(),
    rail: Rail,
    status: PaymentStatus,
    amount: Amount,
    amount_usd_minor: z.string().nullable().meta({ description: 'US cents; null when the amount cannot be priced' }),
    payee: Payee,
  })
  .meta({ id: 'Payment' });
export type EventPayment = z.infer<typeof EventPayment>;

export const VerificationSummary = z
  .object({ result: VerificationResult, kind: z.string() })
  .meta({ id: 'VerificationSummary' });
const MandateEvaluationSummary = z
  .object({ result: MandateResult, mandate_id: Id('mnd') })
  .meta({ id: 'MandateEvaluationSummary' });

const UsdRate = z
  .object({
    usd_per_unit: z.string().meta({ description: 'US dollars per whole unit of the currency, as a decimal number' }),
    date: z.string().meta({ description: 'the day that the rate is of' }),
    source: z.enum(rateSources).meta({
      description:
        '`operator`: loaded by the operator; `fetched`: from where the operator has the service fetch rates; `reference`: comes with the service',
    }),
  })
  .meta({ id: 'UsdRate' });

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
    payment: EventPayment,
    usd_rate: UsdRate.nullable().meta({
      description:
        'the rate by which the payment was priced; null for dollars and tokens, where there is no price, and for events from before rates were noted',
    }),
    evidence_count: z.int(),
    verification: VerificationSummary.nullable(),
    mandate_evaluation: MandateEvaluationSummary.nullable(),
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

/** The members of an event beyond its row in the list: the rest of its input, and its position in the log. */
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
  verification_runs: z.array(VerificationRun).meta({ description: 'what holds of each piece of evidence' }),
  mandate_evaluation: MandateEvaluationFull.nullable().meta({ description: 'the worst of `mandate_evaluations`' }),
  mandate_evaluations: z
    .array(MandateEvaluationFull)
    .meta({ description: 'against each mandate that applies, constraint by constraint; the worst first' }),
  input: z.record(z.string(), z.unknown()).meta({
    description:
      'the event as it was sent, normalized, each evidence value replaced by its SHA-256: event_digest is the SHA-256 of its RFC 8785 form. Of an event that was erased, what is left of it.',
  }),
  erasure: z.string().nullable().meta({
    description:
      'of an event that was erased: the event_digest it had, the SHA-256 of what is left of its input, who requested it and when, as a JWS (RFC 7515) by a key of `GET /v1/keys.json`',
  }),
}).meta({ id: 'EventDetail' });
export type EventDetail = z.infer<typeof EventDetail>;

/** The columns of an event in a list, of `eventsWithVerdicts`. */
export const eventColumns = sql.fragment`e.id, e.type, e.environment, e.occurred_at, e.received_at, e.source_id, e.agent_id, e.owner_id, e.payee_id,
  e.chain_seq, (e.input::jsonb -> 'payment') || jsonb_build_object('amount_usd_minor', e.amount_usd_minor::text) as payment, e.usd_rate,
  e.evidence_count, case when v.verification_result is not null
    then jsonb_build_object('result', v.verification_result, 'kind', v.verification_kind) end as verification,
  case when v.mandate_result is not null
    then jsonb_build_object('result', v.mandate_result, 'mandate_id', v.mandate_id) end as mandate_evaluation`;

/** The signed statement of an event's last erasure; null if it was never emptied. */
export const erasureOf = sql.fragment`(
    select x.statement from erased_events x
    where x.org_id = e.org_id and x.environment = e.environment and x.chain_seq = e.chain_seq order by x.number desc limit 1)`;

/**
 * Events of a tenant, filtered, newest first by arrival or, after a position, oldest first. Reads as many index entries as it needs, never
 * the whole log.
 */
export async function listEvents(
  db: Db,
  tenant: Tenant,
  filters: EventFilters,
  page: PageRequest,
): Promise<Page<Event>> {
  const { org_id, environment } = tenant;
  const look = hasRange(filters) ? positionsWithin : positionsOf;
  const { positions, order, end } = { end: null, ...(await look(db, tenant, filters, page.after, page.limit + 1)) };
  // First the positions, then their contents: if their number is underestimated, all matches would be sorted.
  const rows = await db.any(sql.type(Event)`
    select ${eventColumns} from (${positions}) first
    cross join lateral (
      select * from events where org_id = ${org_id} and environment = ${environment} and chain_seq = first.chain_seq limit 1) e
    ${verdictOf}
    order by e.chain_seq ${order}`);
  const { data, next_cursor } = pageOf(rows, page, event => event.chain_seq);
  return { data, next_cursor: end === null ? next_cursor : page.cursorAfter(end) };
}

/** One event with its evidence. Null when the tenant has no such event. */
export async function findEvent(db: Db, tenant: Tenant, id: string): Promise<EventDetail | null> {
  const { org_id, environment } = tenant;
  const event = await db.maybeOne(sql.type(StoredDetail)`
    select ${eventColumns}, encode(e.event_digest, 'hex') as event_digest, encode(e.leaf_hash, 'hex') as leaf_hash, i.input,
      ${erasureOf} as erasure,
      e.mandate_id, i.input ->> 'description' as description, i.input ->> 'resource_url' as resource_url, i.input ->> 'category' as category,
      i.input -> 'instrument' as instrument, i.input -> 'failure' as failure, i.input -> 'context' as context,
      i.input -> 'metadata' as metadata, i.input ->> 'signature' as signature,
      coalesce(
        (select a.analyzed_at from archived_events a
          where a.org_id = e.org_id and a.environment = e.environment and a.chain_seq = e.chain_seq),
        (select a.analyzed_at from analyzed_ranges a
          where a.org_id = e.org_id and a.environment = e.environment and a.to_seq >= e.chain_seq order by a.to_seq limit 1)) as analyzed_at,
      coalesce((select jsonb_agg(jsonb_build_object('id', v.id, 'kind', v.kind, 'media_type', v.media_type, 'encoding', v.encoding,
          'label', v.label, 'sha256', encode(v.sha256, 'hex'),
          'value', case when v.is_object then v.value::jsonb else to_jsonb(v.value) end) order by v.position)
        from evidence v where v.org_id = e.org_id and v.environment = e.environment and v.event_id = e.id), '[]') as evidence
    from ${eventsWithVerdicts} cross join lateral (select e.input::jsonb as input) i
    where e.org_id = ${org_id} and e.environment = ${environment} and e.id = ${id}`);
  if (!event) return null;
  const verdicts = await verdictsOf(db, tenant, event.chain_seq);
  return { ...event, ...verdicts, mandate_evaluation: verdicts.mandate_evaluations[0] ?? null };
}

const StoredDetail = EventDetail.omit({ verification_runs: true, mandate_evaluation: true, mandate_evaluations: true });
