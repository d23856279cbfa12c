import { hash } from 'node:crypto';
import { denominationOf } from '#shared/values/denomination.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { type Correct, type InputIssue, issueAt, type ReportIssue, validate } from '#shared/json/issues.ts';
import { valueAt } from '#shared/json/null_members.ts';
import type { Rate, Rates } from '#shared/values/price_in_usd.ts';
import { type NormalizedAmount, normalizeAmount } from './amount_normalize.ts';
import { withoutServerMembers } from './as_read.ts';
import { correctionOf } from './corrections.ts';
import { EventInput } from './event_input.ts';
import {
  checkCountries,
  checkMetadata,
  checkParties,
  checkPayeeKey,
  checkResourceUrl,
  checkStatus,
  checkTime,
} from './event_rules.ts';
import { type NormalizedEvidence, normalizeEvidence } from './evidence_normalize.ts';

/**
 * Validates one event of an ingest request and brings it to its normal form: the same report with another offset, address case or network
 * name has the same `digest`. Reports up to 20 problems at once; never throws, whatever the input.
 */
export function normalizeEvent(input: unknown, context: NormalizeContext): NormalizeResult {
  try {
    return normalize(input, context);
  } catch {
    // Only values that JSON cannot produce get here: throwing getters, revoked proxies, cycles.
    return {
      ok: false,
      issues: [issueAt(context.pointer ?? '', '', 'invalid_value', 'must be plain JSON data')],
    };
  }
}

/** `now` in milliseconds since 1970; `pointer` (RFC 6901) is put before every path, such as `/events/3`. */
export type NormalizeContext = { now: number; max_age_days: number; rates: Rates; pointer?: string };

export type NormalizeResult =
  | { ok: true; event: NormalizedEvent; warnings: InputIssue[] }
  | { ok: false; issues: InputIssue[] };

/** The stored form of an event: canonical ids, UTC time with milliseconds, money as decimal strings. */
export type NormalizedEvent = {
  id: string;
  type: string;
  occurred_at: string;
  source_id: string | null;
  agent: { id: string } | { external_id: string; name?: string; framework?: string; model?: string };
  owner: { id: string } | { external_id: string; name?: string; country?: string };
  payment_id: string;
  rail: string;
  status: string;
  amount_value: string;
  amount_unit: 'minor' | 'atomic';
  /** `USD`, or `<CAIP-2>/<address>` with EVM addresses in lower case. */
  amount_denomination: string;
  payee: { key: string; type: string | null; name: string | null; country: string | null };
  usd_micro: string | null;
  usd_minor: string | null;
  /** The rate that priced it; null if none was needed or found. */
  usd_rate: Rate | null;
  mandate_id: string | null;
  resource_url: string | null;
  tool_call_id: string | null;
  tool_name: string | null;
  attempt: number | null;
  run_id: string | null;
  evidence: NormalizedEvidence[];
  /** Canonical JSON (RFC 8785) of the normal form, each evidence value replaced by its SHA-256 in hex. */
  input: string;
  /** SHA-256 of `input`, lower-case hex. */
  digest: string;
  /**
   * The text that `signature` covers: canonical JSON of the event as sent, without `signature`; null when unsigned. For an event that was
   * read, what remains of it, with the `chain_seq` it had there.
   */
  signed_input: string | null;
  /** The chain_seq of an event that was sent as read; null for a client's own. */
  position: number | null;
};

const MAX_ISSUES = 20;

function normalize(sent: unknown, context: NormalizeContext): NormalizeResult {
  const { now, max_age_days, rates, pointer = '' } = context;
  const { event: input, position } = withoutServerMembers(sent);
  const correct: Correct = (path, value) => (value === undefined ? exampleAt(path) : correctionOf(input, path, value));
  const checked = validate(EventInput, input, { correct });
  const schemaIssues = checked.ok ? [] : checked.issues;
  const issues = [...schemaIssues];
  const warnings: InputIssue[] = [];
  const report: ReportIssue = (path, code, expected) => {
    const value = untold.has(code) ? undefined : valueAt(input, path.split('/').slice(1));
    const example = value === undefined || wellFormed.has(code) ? undefined : correctionOf(input, path, value);
    issues.push(issueAt('', path, code, expected, { sent: value, example }));
  };
  const warn: ReportIssue = (path, code, expected) => void warnings.push(issueAt(pointer, path, code, expected));

  // A valid part has its type even if others are invalid; every rule runs where it can, so that the client learns of all problems at once.
  const event = checked.ok ? checked.value : (checked.input as EventInput);
  const sound = (path: string) => checked.ok || !schemaIssues.some(issue => overlaps(issue.path, path));

  const occurred_at = sound('/occurred_at') ? checkTime(event.occurred_at, now, max_age_days, report) : null;
  if (sound('/agent_id') && sound('/agent') && sound('/owner_id') && sound('/owner')) checkParties(event, report);
  if (sound('/type') && sound('/payment/status')) checkStatus(event, report);
  const amount = sound('/payment/amount')
    ? normalizeAmount(event.payment.amount, { rates, date: occurred_at?.slice(0, 10) ?? '' }, report, warn)
    : null;
  const network = amount?.input.asset?.network ?? null;
  const was_read = position !== null;
  const payee_key = sound('/payment/payee/key')
    ? checkPayeeKey(event.payment.payee.key, { network, was_read }, report, warn)
    : null;
  if (sound('/owner') && sound('/payment/payee')) checkCountries(event, report);
  if (sound('/resource_url')) checkResourceUrl(event.resource_url, report);
  if (sound('/metadata')) checkMetadata(event.metadata, report);
  const evidence = sound('/evidence') ? normalizeEvidence(event.evidence ?? [], report) : null;

  if (issues.length > 0 || !checked.ok || !occurred_at || !amount || !payee_key || !evidence) {
    return { ok: false, issues: issues.slice(0, MAX_ISSUES).map(issue => ({ ...issue, path: pointer + issue.path })) };
  }
  // A signature covers what was sent. An event that was read was signed before the server added to it, in a form unknown here: its position
  // in the original log identifies it.
  const signed = position === null ? sent : { ...event, chain_seq: position };
  return {
    ok: true,
    event: { ...assemble(event, { occurred_at, amount, payee_key, evidence, signed }), position },
    warnings,
  };
}

/** Issues that do not repeat the value: a forbidden member, and a card number. */
const untold = new Set(['not_allowed', 'card_number', 'required']);

/** Issues with a value that is well formed: no other form of it would be right. */
const wellFormed = new Set(['too_far_ahead', 'too_old']);

/** The value at a path of the documented event; ids have to be the client's own. */
function exampleAt(path: string): unknown {
  const [example] = (EventInput.meta()?.['examples'] ?? []) as unknown[];
  return /_?id$/.test(path) ? undefined : valueAt(example, path.split('/').slice(1));
}

const overlaps = (path: string, other: string): boolean =>
  path === other || path.startsWith(`${other}/`) || other.startsWith(`${path}/`);

type Parts = {
  occurred_at: string;
  amount: NormalizedAmount;
  payee_key: string;
  evidence: NormalizedEvidence[];
  signed: unknown;
};

function assemble(event: EventInput, { occurred_at, amount, payee_key, evidence, signed }: Parts) {
  const { payment } = event;
  const normal = {
    ...event,
    occurred_at,
    payment: { ...payment, amount: amount.input, payee: { ...payment.payee, key: payee_key } },
    evidence:
      event.evidence &&
      evidence.map(({ kind, media_type, encoding, label, sha256 }) => ({
        kind,
        media_type: media_type ?? undefined,
        encoding,
        label: label ?? undefined,
        value: sha256,
      })),
  };
  const input = canonicalJson(normal);
  return {
    ...fieldsOf(normal),
    usd_micro: amount.usd?.usd_micro.toString() ?? null,
    usd_minor: amount.usd?.usd_minor.toString() ?? null,
    usd_rate: amount.rate,
    evidence,
    input,
    digest: hash('sha256', input),
    signed_input: event.signature === undefined ? null : canonicalJson({ ...(signed as object), signature: undefined }),
  };
}

/** The same event without the source that it names. */
export function withoutSource(event: NormalizedEvent): NormalizedEvent {
  const { source_id: _, ...normal } = JSON.parse(event.input) as EventInput;
  const input = canonicalJson(normal);
  return { ...event, source_id: null, input, digest: hash('sha256', input) };
}

/** The fields that follow from an event's normal form alone. */
export function fieldsOf(normal: EventInput): Omit<NormalizedEvent, NotInNormalForm> {
  const { payment, context } = normal;
  const { amount, payee } = payment;
  return {
    id: normal.id,
    type: normal.type,
    occurred_at: normal.occurred_at,
    source_id: normal.source_id ?? null,
    agent: normal.agent ?? { id: normal.agent_id ?? '' },
    owner: normal.owner ?? { id: normal.owner_id ?? '' },
    payment_id: payment.payment_id,
    rail: payment.rail,
    status: payment.status,
    amount_value: amount.value,
    amount_unit: amount.unit,
    amount_denomination: denominationOf(amount),
    payee: { key: payee.key, type: payee.type ?? null, name: payee.name ?? null, country: payee.country ?? null },
    mandate_id: normal.mandate_id ?? null,
    resource_url: normal.resource_url ?? null,
    tool_call_id: context?.tool_call_id ?? null,
    tool_name: context?.tool_name ?? null,
    attempt: context?.attempt ?? null,
    run_id: context?.run_id ?? null,
  };
}

type NotInNormalForm =
  | 'usd_micro'
  | 'usd_minor'
  | 'usd_rate'
  | 'evidence'
  | 'input'
  | 'digest'
  | 'signed_input'
  | 'position';
