import { hash } from 'node:crypto';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';
import { type Checklist, createChecklist } from '#shared/verification/checklist.ts';
import { factValue, readEvidenceObject } from '#shared/verification/http_signature/evidence_object.ts';
import type { Evidence, VerificationInput, Verifier, WebhookSecret } from '#shared/verification/verifier.ts';
import { compareStatement } from './compare.ts';
import { type ReceivedWebhook, readDelivery } from './delivery.ts';
import type { SchemeResult } from './scheme.ts';
import { schemes } from '#shared/verification/psp_webhook/schemes/index.ts';
import { mappedStatement } from './mapped_statement.ts';
import { type PspStatement, silent } from './statement.ts';
import { readNotices } from '#shared/verification/psp_webhook/statements/index.ts';

/**
 * The payment service said so: a webhook `{headers, body}` signed with the secret of the event's source, in time with the event, and
 * of the same payment. The body is its raw text; as an object its signature cannot be checked (but for Adyen's items).
 */
export const pspWebhook: Verifier = {
  kind: 'psp_webhook',
  version: '3',
  reads: ['psp.webhook'],
  verify(evidence, input) {
    const list = createChecklist();
    judge(evidence, input, list);
    return list.outcome();
  },
};

function judge(evidence: Evidence, { event, webhook_secret }: VerificationInput, list: Checklist): boolean {
  if (evidence.value === null) return list.open('evidence', 'evidence_erased');
  const object = readEvidenceObject(evidence.value);
  const delivery = object && readDelivery(object);
  if (!delivery) return list.fail('evidence', 'malformed', 'it is not an object of headers and a body');
  const { payload } = delivery;
  if (payload.kind === 'malformed') return list.fail('evidence', 'malformed', 'the body is not sound JSON');
  list.pass('evidence');
  const body = payload.kind === 'object' ? payload.object : null;
  const signed = judgeSignature(delivery, body, webhook_secret, list);
  if (signed?.result === 'fail') return false;
  const notices = body === null ? [] : readNotices(body, webhook_secret?.scheme ?? null);
  const statements = notices.map(notice => mappedStatement(notice, webhook_secret));
  const said = body && statementOf(statements, event);
  const times = {
    sent_at: signed?.result === 'pass' ? signed.sent_at : null,
    happened_at: said?.happened_at ?? null,
    occurred_at: event.occurred_at,
  };
  judgeTime(times, list);
  if (!said) return list.open('payload', 'payload_not_understood', 'the body is not a JSON object');
  compareStatement(said, event, list);
  if (signed?.result !== 'pass') return false;
  // A notice is of one payment, which may report it more than once. Ids are those of a service: another source has others. What is signed
  // beside a body of several notices is the id of none of them.
  const notice =
    (statements.length === 1 ? signed.id : null) ?? said.notice ?? hash('sha256', delivery.raw ?? evidence.id);
  list.once({ scope: 'psp_webhook', value: `${event.source_id}:${factValue(notice)}`, code: 'webhook_replayed' });
  return true;
}

function judgeSignature(
  delivery: ReceivedWebhook,
  body: Record<string, unknown> | null,
  secret: WebhookSecret | null,
  list: Checklist,
): SchemeResult | null {
  if (!secret) {
    list.open('signature', 'secret_unknown', "the event's source has no signing secret");
    return null;
  }
  const signed = schemes[secret.scheme](delivery, secret, body);
  if (signed.result === 'pass') list.pass('signature', secret.scheme);
  else if (signed.result === 'fail') list.fail('signature', signed.code, signed.detail);
  else list.open('signature', signed.code, signed.detail);
  return signed;
}

const TOLERANCE = 5 * MINUTE;

type Times = { sent_at: number | null; happened_at: number | null; occurred_at: number };

/**
 * Webhooks are sent at once. Those that nobody took are signed anew and sent again for days: with the time of what happened in their
 * body they do not contradict the event, but come too late to bear it out.
 */
function judgeTime({ sent_at, happened_at, occurred_at }: Times, list: Checklist): void {
  const time = sent_at ?? happened_at;
  if (time === null) return list.skip('timestamp', 'the webhook has no time');
  if (isInTime(time, occurred_at)) return void list.pass('timestamp');
  const again = happened_at !== null && time > occurred_at && isInTime(happened_at, occurred_at);
  const sent = Math.abs(time) < 8e15 ? timestamp(time) : 'out of range';
  const detail = `sent ${sent}, the event occurred ${timestamp(occurred_at)}`;
  if (again) list.open('timestamp', 'timestamp_out_of_range', detail);
  else list.fail('timestamp', 'timestamp_out_of_range', detail);
}

const isInTime = (time: number, occurred_at: number) => Math.abs(time - occurred_at) <= TOLERANCE;

/** What the body says of the payment: the notice that names it, of several one of the type of the event, or the only one. */
function statementOf(statements: readonly PspStatement[], { payment_id, type }: ReportedEvent): PspStatement {
  const own = statements.filter(({ references }) => references.includes(payment_id));
  const fitting = own.find(({ types }) => types?.includes(type)) ?? own[0];
  return fitting ?? (statements.length === 1 ? statements[0] : null) ?? silent;
}
