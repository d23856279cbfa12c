import { hash } from 'node:crypto';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { MAX_EVIDENCE_BYTES } from '#shared/events/input/evidence_input.ts';
import { derivedId } from '#shared/interface/ids.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import type { WebhookSource } from '#shared/keys/sources.ts';
import { statusesOfType } from '#shared/values/event_types.ts';
import { timestamp } from '#shared/values/time.ts';
import { asRecord, type JsonObject } from '#shared/verification/json.ts';
import { type Notice, readNotices } from '#shared/verification/psp_webhook/statements/index.ts';
import { adyenFacts } from './adyen_facts.ts';
import { type Facts, known, oneLineOf, type ReadingProblem } from './facts.ts';
import { mappedFacts, valueAt } from './mapped_facts.ts';
import type { SignedWebhook } from './signed_webhook.ts';
import { stripeFacts } from './stripe_facts.ts';

/** What a notice came to: an event, nothing that is of a payment, or what could not be read. */
export type Reading =
  | { kind: 'event'; event: EventInput }
  | { kind: 'ignored' }
  | { kind: 'unread'; problems: ReadingProblem[] };

/** Reads each notice of a webhook that was signed by its source. Pure: the same webhook and settings give the same events. */
export function readWebhook(source: WebhookSource, webhook: SignedWebhook): Reading[] {
  const { payload } = webhook.delivery;
  if (payload.kind !== 'object') {
    const message = 'The body is not a JSON object that everybody reads the same way.';
    return [{ kind: 'unread', problems: [{ item: 0, code: 'malformed_body', message }] }];
  }
  const notices = readNotices(payload.object, source.psp_scheme);
  return notices.map((notice, item) => readNotice(source, webhook, notice, { item, alone: notices.length === 1 }));
}

function readNotice(
  source: WebhookSource,
  webhook: SignedWebhook,
  notice: Notice,
  { item, alone }: { item: number; alone: boolean },
): Reading {
  const { by, object, said } = notice;
  const config = source.psp_config ?? {};
  const service = config.service ?? (by === 'other' ? source.psp_scheme : by);
  const own = ownFacts(notice, service);
  const psp = by === 'other' && source.psp_scheme === 'adyen' ? 'adyen' : by;
  const mapped = mappedFacts(object, said, { mapping: config.mapping, service }, psp);
  const type = mapped.facts.type ?? said.types?.[0];
  // Services tell of customers, invoices and files too.
  const isOfPayment =
    by === 'other'
      ? said.amounts.length > 0 || mapped.facts.payment_id !== undefined
      : type !== undefined && (mapped.facts.payment_id ?? own.payment_id) !== undefined;
  if (mapped.ignored || !isOfPayment) return { kind: 'ignored' };
  const facts: Partial<Facts> = {
    amount: amountOf(notice),
    occurred_at: said.happened_at ?? webhook.sent_at ?? webhook.received_at,
    agent: config.default_agent,
    owner: config.default_owner,
    rail: 'other',
    type,
    ...own,
    ...mapped.facts,
  };
  const problems = [...mapped.problems, ...missing(facts, notice)].map(problem => ({ item, ...problem }));
  if (problems.length > 0 || !isWhole(facts)) return { kind: 'unread', problems };
  const { status = statusesOfType[facts.type][0] ?? 'settled', payee, category, failure, amount } = facts;
  // What the sender signed beside a body tells that body from others, but not what is in it.
  const told = mapped.facts.notice ?? (alone ? webhook.notice : null) ?? facts.notice;
  // Some services give what happens to one payment its id, over and over.
  const seed =
    told === undefined
      ? `${item} ${webhook.body_hash}`
      : `${told} ${by === 'other' ? `${facts.type} ${amount.value}` : ''}`;
  const { evidence, metadata } = proofOf(webhook, alone || source.psp_scheme !== 'adyen' ? null : object);
  const event: EventInput = {
    id: derivedId('evt', 0, hash('sha256', `${source.id}\n${seed}`, 'buffer')),
    type: facts.type,
    occurred_at: timestamp(facts.occurred_at),
    agent: { external_id: facts.agent },
    owner: { external_id: facts.owner },
    payment: {
      payment_id: facts.payment_id,
      rail: facts.rail,
      status,
      amount,
      payee: { key: payee.key, type: 'merchant', ...known({ name: payee.name, country: payee.country }) },
    },
    ...(evidence && { evidence }),
    ...(metadata && { metadata }),
    ...(category !== undefined && /^[0-9]{4}$/.test(category) && { category }),
    ...(failure && facts.type === 'payment.failed' && { failure }),
  };
  return { kind: 'event', event };
}

function ownFacts({ by, object, said }: Notice, service: string): Partial<Facts> {
  if (by === 'stripe') return stripeFacts(object, said);
  if (by === 'adyen') return adyenFacts(object, said);
  const metadata = metadataPlaces.map(place => asRecord(valueAt(object, place)) ?? {});
  const party = (name: string) => metadata.map(each => oneLineOf(each[name], 200)).find(id => id !== null) ?? null;
  return known({
    notice: said.notice,
    agent: party('agent_id'),
    owner: party('owner_id'),
    payee: { key: `merchant:${service}:${said.merchants[0] ?? 'self'}` },
  });
}

const metadataPlaces = [
  '/metadata',
  '/data/metadata',
  '/data/object/metadata',
  '/payload/metadata',
  '/event/data/metadata',
];

function amountOf({ said }: Notice): Facts['amount'] | undefined {
  const [value] = said.amounts;
  return value === undefined || value === null || said.currency === null
    ? undefined
    : { value: String(value), unit: 'minor', currency: said.currency };
}

const needed = {
  type: 'The body does not say what happened to the payment: map it (psp_config.mapping.type).',
  payment_id: 'The body does not say which payment it is of: map it (psp_config.mapping.payment_id).',
  agent:
    'The body names no agent: put agent_id into the metadata of the payment, map it (psp_config.mapping.agent), or set psp_config.default_agent.',
  owner:
    'The body names no owner: put owner_id into the metadata of the payment, map it (psp_config.mapping.owner), or set psp_config.default_owner.',
  payee: 'The body does not say who is paid: map it (psp_config.mapping.payee).',
  amount:
    'The body says no amount in a known currency: map it (psp_config.mapping.amount, psp_config.mapping.currency).',
} as const;

const missing = (facts: Partial<Facts>, { by }: Notice): Omit<ReadingProblem, 'item'>[] =>
  (Object.keys(needed) as (keyof typeof needed)[])
    .filter(name => facts[name] === undefined || facts[name] === null)
    .map(name => ({
      code: `no_${name}`,
      message: by === 'adyen' ? `${needed[name]} Pointers begin at the notification.` : needed[name],
    }));

type Whole = Facts & { status?: Facts['status'] };

const isWhole = (facts: Partial<Facts>): facts is Whole =>
  facts.occurred_at !== undefined &&
  facts.rail !== undefined &&
  Object.keys(needed).every(name => Object.hasOwn(facts, name));

/**
 * The webhook as evidence: its bytes, or of several notifications that Adyen signed each by itself, the one. What evidence has no room for is told
 * by its SHA-256.
 */
function proofOf(
  { headers, delivery, body_hash }: SignedWebhook,
  item: JsonObject | null,
): Pick<EventInput, 'evidence' | 'metadata'> {
  const { raw, payload } = delivery;
  const live = payload.kind === 'object' ? payload.object['live'] : undefined;
  const body = item ? JSON.stringify({ live, notificationItems: [{ NotificationRequestItem: item }] }) : (raw ?? '');
  const value = { headers, body };
  if (Buffer.byteLength(canonicalJson(value)) > MAX_EVIDENCE_BYTES) return { metadata: { webhook_sha256: body_hash } };
  return { evidence: [{ kind: 'psp.webhook', value }] };
}
