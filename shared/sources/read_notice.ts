import type { EventInput } from '#shared/events/input/event_input.ts';
import type { WebhookSource } from '#shared/keys/sources.ts';
import { statusesOfType } from '#shared/values/event_types.ts';
import { timestamp } from '#shared/values/time.ts';
import { asRecord } from '#shared/verification/json.ts';
import { valueAt } from '#shared/verification/psp_webhook/mapping.ts';
import type { Notice } from '#shared/verification/psp_webhook/statements/index.ts';
import { adyenFacts } from './adyen_facts.ts';
import type { CaptureNotice } from './captures.ts';
import { type NoticeFacts, oneLineOf, type ReadingProblem, withoutMissing } from './facts.ts';
import { mappedFacts } from './mapped_facts.ts';
import type { RefundNotice } from './refunds.ts';
import { stripeFacts } from './stripe_facts.ts';

/** How the notices of a source are read. */
export type SourceReading = Pick<WebhookSource, 'psp_scheme' | 'psp_config'>;

/** The result of a notice: an event, with what is identical when the notice is repeated, if known; nothing about a payment; or problems. */
export type NoticeRead =
  | {
      kind: 'event';
      event: Omit<EventInput, 'id'>;
      told: { own: string | undefined; mapped: string | undefined };
      refund: RefundNotice | undefined;
      capture: CaptureNotice | undefined;
    }
  | { kind: 'ignored' }
  | { kind: 'unread'; problems: Omit<ReadingProblem, 'item'>[] };

/**
 * Reads a notice by the settings of its source. `at` is when it was sent, in milliseconds since 1970, for a notice without a time of its
 * own.
 */
export function readNotice(source: SourceReading, notice: Notice, at: number | undefined): NoticeRead {
  const { by, object, said } = notice;
  const config = source.psp_config ?? {};
  const service = config.service ?? (by === 'other' ? source.psp_scheme : by);
  const own = ownFacts(notice, service);
  const psp = by === 'other' && source.psp_scheme === 'adyen' ? 'adyen' : by;
  const mapped = mappedFacts(object, said, { mapping: config.mapping, service }, psp);
  const type = mapped.facts.type ?? said.types?.[0];
  // Services also send notices about customers, invoices and files.
  const isOfPayment =
    by === 'other'
      ? said.amounts.length > 0 || mapped.facts.payment_id !== undefined
      : type !== undefined && (mapped.facts.payment_id ?? own.payment_id) !== undefined;
  if (mapped.ignored || !isOfPayment) return { kind: 'ignored' };
  const facts: Partial<NoticeFacts> = {
    amount: amountOf(notice),
    agent: config.default_agent,
    owner: config.default_owner,
    rail: 'other',
    type,
    ...withoutMissing({ occurred_at: said.happened_at ?? at }),
    ...own,
    ...mapped.facts,
  };
  const problems = [...mapped.problems, ...missing(facts, notice)];
  if (problems.length > 0 || !isWhole(facts)) return { kind: 'unread', problems };
  const isMapped = mapped.facts.notice !== undefined || mapped.facts.amount !== undefined;
  const refund = !isMapped && type === 'payment.refunded' ? own.refund : undefined;
  const isCapture = type === 'payment.settled' || type === 'payment.failed';
  const capture = isCapture && mapped.facts.payment_id === undefined ? own.capture : undefined;
  const told = { own: facts.notice, mapped: mapped.facts.notice };
  return { kind: 'event', event: eventOf(facts), told, refund, capture };
}

function eventOf(facts: Whole): Omit<EventInput, 'id'> {
  const { status = statusesOfType[facts.type][0] ?? 'settled', payee, category, failure } = facts;
  return {
    type: facts.type,
    occurred_at: timestamp(facts.occurred_at),
    agent: { external_id: facts.agent },
    owner: { external_id: facts.owner },
    payment: {
      payment_id: facts.payment_id,
      rail: facts.rail,
      status,
      amount: facts.amount,
      payee: { key: payee.key, type: 'merchant', ...withoutMissing({ name: payee.name, country: payee.country }) },
    },
    ...(category !== undefined && /^[0-9]{4}$/.test(category) && { category }),
    ...(failure && facts.type === 'payment.failed' && { failure }),
  };
}

function ownFacts({ by, object, said }: Notice, service: string): Partial<NoticeFacts> {
  if (by === 'stripe') return stripeFacts(object, said);
  if (by === 'adyen') return adyenFacts(object, said);
  const metadata = metadataPlaces.map(place => asRecord(valueAt(object, place)) ?? {});
  const party = (name: string) => metadata.map(each => oneLineOf(each[name], 200)).find(id => id !== null) ?? null;
  return withoutMissing({
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

function amountOf({ said }: Notice): NoticeFacts['amount'] | undefined {
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
  occurred_at: 'The body does not say when it happened: map it (psp_config.mapping.occurred_at).',
  amount:
    'The body says no amount in a known currency: map it (psp_config.mapping.amount, psp_config.mapping.currency).',
} as const;

const missing = (facts: Partial<NoticeFacts>, { by }: Notice): Omit<ReadingProblem, 'item'>[] =>
  (Object.keys(needed) as (keyof typeof needed)[])
    .filter(name => facts[name] === undefined || facts[name] === null)
    .map(name => ({
      code: `no_${name}`,
      message: by === 'adyen' ? `${needed[name]} Pointers begin at the notification.` : needed[name],
    }));

type Whole = NoticeFacts & { status?: NoticeFacts['status'] };

const isWhole = (facts: Partial<NoticeFacts>): facts is Whole =>
  facts.rail !== undefined && Object.keys(needed).every(name => Object.hasOwn(facts, name));
