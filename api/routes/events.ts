import { z } from 'zod';
import { ingestEvents } from '#api/ingest_events.ts';
import { reply, route } from '#api/route.ts';
import { noVerdict, type Verdict, worstFirst } from '#shared/assessment/verdict.ts';
import { invalidDetail, Problem, orNotFound } from '#shared/interface/errors.ts';
import { findEventAnywhere } from '#shared/packs/archive/read_archived.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { sentId } from '#shared/events/input/as_read.ts';
import { EventInput } from '#shared/events/input/event_input.ts';
import { normalizeEvent, type NormalizeResult } from '#shared/events/input/event_normalize.ts';
import { MandatePreview, VerificationPreview } from '#shared/events/log/event_verdicts.ts';
import { EventFilters } from '#shared/events/log/event_filters.ts';
import { EventTotals, totalEvents } from '#shared/events/log/event_totals.ts';
import { Event, EventDetail, listEvents, VerificationSummary } from '#shared/events/log/events.ts';
import { IngestResult, unknownSource } from '#shared/events/log/ingest.ts';
import { ErrorDetail } from '#shared/interface/schemas.ts';

const MOST_EVENTS = 1_000;

const Batch = z.object({ events: z.array(EventInput).min(1).max(MOST_EVENTS) }).meta({ id: 'EventBatch' });
const EventOrBatch = z.union([EventInput, Batch]).meta({ examples: EventInput.meta()?.examples ?? [] });

const BatchResult = z
  .object({
    results: z.array(IngestResult),
    accepted: z.int(),
    duplicates: z.int(),
    conflicts: z.int(),
    rejected: z.int(),
  })
  .meta({ id: 'IngestBatchResult' });

const Validation = z
  .object({
    index: z.int(),
    id: z.string().nullable(),
    valid: z.boolean(),
    errors: z.array(ErrorDetail),
    warnings: z.array(ErrorDetail),
    normalized: z.record(z.string(), z.unknown()).nullable().meta({ description: 'the event as it would be stored' }),
    verification: VerificationSummary.nullable().meta({ description: 'what its evidence would come to' }),
    verification_runs: z.array(VerificationPreview),
    mandate_evaluation: MandatePreview.nullable().meta({
      description: 'what its mandates would say: the worst of them',
    }),
    mandate_evaluations: z.array(MandatePreview),
  })
  .meta({ id: 'ValidationResult' });

const wait = z
  .string()
  .regex(/^(?:[0-9]|[12][0-9]|30)$/, 'must be a whole number of seconds from 0 to 30')
  .transform(Number)
  .default(0)
  .meta({
    description: 'with `after_seq`: how many seconds an empty page may be held back',
    override: { type: 'integer', minimum: 0, maximum: 30, default: 0 },
  });

export const events = [
  route({
    method: 'get',
    path: '/v1/events',
    operation_id: 'listEvents',
    tag: 'Events',
    summary: 'List events, newest first, or follow the log',
    description:
      'Who follows the log asks for the events after the last `chain_seq` they have, `after_seq=N`: they come oldest first, and `wait` holds an empty page back until there is something on it.',
    access: { scopes: ['events:read'], session: 'read' },
    version: { of: ['log', 'analysis', 'verdicts', 'agents', 'payees', 'alerts'], unless: 'wait' },
    awaits: ['log', 'analysis', 'verdicts'],
    query: EventFilters.extend({ ...pageQuery, wait }),
    responses: [[200, 'A page of events', PageOf(Event).meta({ id: 'EventPage' })]],
    handle: ({ query: { wait: seconds, ...query }, caller }, { db, config }) => {
      if (seconds > 0 && query.after_seq === undefined)
        throw invalidDetail('query.wait', 'needs_after_seq', 'Only who follows the log can wait: give after_seq too.');
      return listEvents(db, caller, query, pageRequest(config.secret_key, 'events', caller, query));
    },
  }),

  route({
    method: 'get',
    path: '/v1/event-totals',
    operation_id: 'totalEvents',
    tag: 'Events',
    summary: 'Total the events that a filter leaves',
    description:
      'The filters of `GET /v1/events`. The newest 10,000 events are added up at most; `complete` says whether that was all. All events of whole hours (UTC) are read from counters, however many they are.',
    access: { scopes: ['events:read'], session: 'read' },
    version: { of: ['log', 'analysis', 'verdicts', 'agents', 'payees', 'alerts'] },
    query: EventFilters.omit({ after_seq: true }),
    responses: [[200, 'The totals', EventTotals]],
    handle: ({ query, caller }, { db }) => totalEvents(db, caller, query),
  }),

  route({
    method: 'get',
    path: '/v1/events/{id}',
    operation_id: 'getEvent',
    tag: 'Events',
    summary: 'Read one event with its evidence',
    access: { scopes: ['events:read'], session: 'read' },
    version: { of: ['log', 'analysis', 'verdicts'] },
    params: z.object({ id: Id('evt') }),
    responses: [[200, 'The event', EventDetail]],
    handle: async ({ params, caller }, services) =>
      orNotFound('event', await findEventAnywhere(services, caller, params.id)),
  }),

  route({
    method: 'post',
    path: '/v1/events',
    operation_id: 'sendEvents',
    tag: 'Events',
    summary: 'Send one event, or a batch of up to 1000',
    description:
      'The event id is the idempotency key: sending the same event again answers `duplicate` with its first `chain_seq`; other content under a known id is a `conflict` and changes nothing. Of a batch, the good events are stored when others are not.',
    access: { scopes: ['events:write'] },
    grows_log: true,
    errors: { '409': 'A single event: its id is known with other content' },
    body: EventOrBatch,
    loose_body: true,
    responses: [
      [
        200,
        'A batch: one result per event, in input order. A single event that was stored before',
        z.union([BatchResult, IngestResult]),
      ],
      [201, 'A single event was stored', IngestResult],
    ],
    handle: async ({ body, caller }, services) => {
      const { inputs, pointer, single } = readBatch(body);
      const { results, outcome } = await ingestEvents(services, caller, caller.default_source_id, inputs, pointer);
      services.ingest_counts.events(
        { ...caller, key_id: caller.actor_id },
        {
          ...outcome,
          faults: results.flatMap(({ status, error }) => (status === 'rejected' && error?.details?.[0]) || []),
        },
      );
      return single ? answerSingle(results[0]) : { results, ...outcome };
    },
  }),

  route({
    method: 'post',
    path: '/v1/events/validate',
    operation_id: 'validateEvents',
    tag: 'Events',
    summary: 'Check one event or a batch without storing anything',
    description:
      'Says too what verifying the evidence would come to, and whether the payment would break a mandate: an agent can ask before it pays. Each event is taken by itself, and no chain is read. A mandate that evidence shows for the first time has an id for this answer only.',
    access: { scopes: ['events:write'] },
    body: EventOrBatch,
    loose_body: true,
    responses: [
      [
        200,
        'One result per event, in input order',
        z.object({ results: z.array(Validation) }).meta({ id: 'ValidationResults' }),
      ],
    ],
    handle: async ({ body, caller }, { preview, ingest: { now, rates, max_age_days, registry } }) => {
      const { inputs, pointer } = readBatch(body);
      const context = { now: now(), rates: await rates.current(), max_age_days };
      const normalized = inputs.map((input, index) => normalizeEvent(input, { ...context, pointer: pointer(index) }));
      const sourcesOf = (checked: NormalizeResult): string[] => {
        if (!checked.ok) return [];
        const { source_id, position } = checked.event;
        // As in ingestion: whoever passes on events read elsewhere is their source here.
        return [source_id ?? caller.default_source_id, ...(position === null ? [] : [caller.default_source_id])];
      };
      const isActive = await registry.activeSources(caller, normalized.flatMap(sourcesOf));
      const checks = normalized.map((checked, index): NormalizeResult =>
        !checked.ok || sourcesOf(checked).some(isActive)
          ? checked
          : { ok: false, issues: [unknownSource(pointer(index), checked.event.source_id)] },
      );
      const sound = checks.flatMap(checked => (checked.ok ? [checked.event] : []));
      const verdicts = await preview(caller, sound, caller.default_source_id, context.now);
      let next = 0;
      return {
        results: checks.map((checked, index) => {
          const item = { index, id: sentId(inputs[index]) };
          if (!checked.ok) return { ...item, valid: false, errors: checked.issues, ...refusedPreview };
          const { event, warnings } = checked;
          const verdict = verdicts[next++];
          const normalized: unknown = JSON.parse(event.input);
          return { ...item, valid: true, errors: [], warnings, normalized, ...previewOf(verdict) };
        }),
      };
    },
  }),
];

const refusedPreview = { warnings: [], normalized: null, ...previewOf(undefined) };

function previewOf(verdict: Verdict = noVerdict) {
  const { verification } = verdict;
  const evaluations = worstFirst(verdict.evaluations ?? []).map(({ mandate, result, constraints }) => ({
    mandate_id: mandate.id,
    version: mandate.version,
    result,
    constraints,
  }));
  return {
    verification: verification && { result: verification.result, kind: verification.kind },
    verification_runs: (verification?.runs ?? []).map(({ kind, result, checks, verifier_version }) => ({
      kind,
      result,
      checks,
      verifier_version,
    })),
    mandate_evaluation: evaluations[0] ?? null,
    mandate_evaluations: evaluations,
  };
}

/** The events in a body, which is one itself or has them in `events`, and the pointer to each. */
function readBatch(body: unknown): { inputs: unknown[]; pointer: (index: number) => string; single: boolean } {
  const batch = typeof body === 'object' && body !== null && 'events' in body && !('id' in body);
  if (!batch) return { inputs: [body], pointer: () => '', single: true };
  const { events: inputs, ...others } = body;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined)
    throw invalidDetail(
      `/${unknown.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      'unrecognized_member',
      'A batch has the member events and no other.',
    );
  if (!Array.isArray(inputs)) throw invalidDetail('/events', 'invalid_type', 'events must be an array of events.');
  if (inputs.length === 0) throw invalidDetail('/events', 'too_short', 'events must hold at least one event.');
  if (inputs.length > MOST_EVENTS)
    throw invalidDetail('/events', 'too_long', `events may hold at most ${MOST_EVENTS} events.`);
  return { inputs, pointer: index => `/events/${index}`, single: false };
}

function answerSingle(result: IngestResult | undefined) {
  if (!result) throw new Error('unreachable');
  const { error } = result;
  if (result.status === 'conflict') throw new Problem('conflict', error?.message ?? '', { details: error?.details });
  if (result.status === 'rejected')
    throw new Problem('invalid_request', error?.message ?? '', { details: error?.details });
  return reply(result.status === 'accepted' ? 201 : 200, result);
}
