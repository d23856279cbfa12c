import { z } from 'zod';
import type { EventType } from '#shared/values/event_types.ts';
import type { ScreenedPayee } from '#shared/detection/model/payees.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { detector, type Finding } from '#shared/detection/model/detector.ts';

/** A payment to a payee that screening has found on a sanctions list, or that may be on one. */
export const sanctionsMatch = detector({
  name: 'sanctions_match',
  of_payment_alone: true,
  about: 'A payment, made or planned, to a payee that matches a sanctions list.',
  params: z.strictObject({}),
  judge: (event, { payee: { screening } }) => (screening && isPaying(event.type) ? findingOf(screening, event) : null),
});

/** The finding on an event of a payee with a screening match. */
export function findingOf(
  screening: ScreenedPayee,
  { payee_id, chain_seq }: Pick<DetectionEvent, 'payee_id' | 'chain_seq'>,
): Finding {
  const isConfirmed = screening.state === 'confirmed_match';
  // Without a score it is an exact match.
  const score = screening.score === null ? 100 : Math.round(Number(screening.score) * 1_000) / 10;
  return {
    score,
    severity: 'critical',
    title: isConfirmed ? '{payee} is on a sanctions list' : '{payee} may be on a sanctions list',
    explanation:
      `Screening found that {payee} matches ${screening.match === null ? 'an entry of a sanctions list' : `“${screening.match}”`} ` +
      `with a score of ${score} of 100. ${decisionOf(screening)} Every payment to a payee with such a match raises an alert.`,
    subject: payee_id,
    seqs: [chain_seq],
    gathers: true,
  };
}

const paying = new Set<EventType>(['payment.requested', 'payment.authorized', 'payment.settled']);

/** Whether an event of this type pays or is about to. */
export const isPaying = (type: EventType): boolean => paying.has(type);

const decisionOf = ({ state }: ScreenedPayee) =>
  state === 'confirmed_match'
    ? 'The match is confirmed: do not pay, and follow your sanctions procedure for earlier payments.'
    : 'Nobody had reviewed the match when this was written: do not pay until someone has.';
