import { hash } from 'node:crypto';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { MAX_EVIDENCE_BYTES } from '#shared/events/input/evidence_input.ts';
import { derivedId } from '#shared/interface/ids.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import type { WebhookSource } from '#shared/keys/sources.ts';
import type { JsonObject } from '#shared/verification/json.ts';
import { type Notice, readNotices } from '#shared/verification/psp_webhook/statements/index.ts';
import type { CaptureNotice } from './captures.ts';
import type { ReadingProblem } from './facts.ts';
import { readNotice } from './read_notice.ts';
import type { RefundNotice } from './refunds.ts';
import type { SignedWebhook } from './signed_webhook.ts';

/** A refund that other notices may report too. `idOf` is the id of its event, or of another of the charge that would have the same. */
type Refund = { notice: RefundNotice; idOf: (name: string | null) => string };

/** The result of a notice: an event, nothing about a payment, or problems. */
export type ReadNotice =
  | { kind: 'event'; event: EventInput; refund: Refund | null; capture: CaptureNotice | null }
  | { kind: 'ignored' }
  | { kind: 'unread'; problems: ReadingProblem[] };

/** Reads each notice of a webhook signed by its source. Pure: the same webhook and settings give the same events. */
export function readWebhook(source: WebhookSource, webhook: SignedWebhook): ReadNotice[] {
  const { payload } = webhook.delivery;
  if (payload.kind !== 'object') {
    const message = 'The body is not a JSON object that everybody reads the same way.';
    return [{ kind: 'unread', problems: [{ item: 0, code: 'malformed_body', message }] }];
  }
  const notices = readNotices(payload.object, source.psp_scheme);
  return notices.map((notice, item) => proven(source, webhook, notice, { item, alone: notices.length === 1 }));
}

/** A notice as an event with the webhook as evidence, and an id that is the same when it is repeated. */
function proven(
  source: WebhookSource,
  webhook: SignedWebhook,
  notice: Notice,
  { item, alone }: { item: number; alone: boolean },
): ReadNotice {
  const result = readNotice(source, notice, webhook.sent_at ?? webhook.received_at);
  if (result.kind === 'unread')
    return { kind: 'unread', problems: result.problems.map(problem => ({ item, ...problem })) };
  if (result.kind === 'ignored') return result;
  const { event, told, refund, capture = null } = result;
  // What the sender signed besides a body identifies the body, not its contents.
  const same = told.mapped ?? (alone ? webhook.notice : null) ?? told.own;
  // Some services use a payment's id for everything that happens to it.
  const seed =
    same === undefined
      ? `${item} ${webhook.body_hash}`
      : `${same} ${notice.by === 'other' ? `${event.type} ${event.payment.amount.value}` : ''}`;
  const { evidence, metadata } = proofOf(webhook, alone || source.psp_scheme !== 'adyen' ? null : notice.object);
  const idOf = (name: string | null) =>
    derivedId('evt', 0, hash('sha256', `${source.id}\n${seed}${name === null ? '' : `\n${name}`}`, 'buffer'));
  return {
    kind: 'event',
    event: {
      id: idOf(null),
      ...event,
      ...(evidence && { evidence }),
      ...(metadata && { metadata }),
    },
    refund: refund ? { notice: refund, idOf } : null,
    capture,
  };
}

/**
 * The webhook as evidence: its bytes, or for several individually signed notifications of Adyen, this one. If it is too large for evidence,
 * its SHA-256.
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
