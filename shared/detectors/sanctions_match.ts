import { z } from 'zod';
import type { EventType } from '#shared/event_types.ts';
import type { Screened } from '#shared/detection/payees.ts';
import { detector } from '#shared/detectors/detector.ts';

/** A payment to a payee that screening has found on a sanctions list, or that may be on one. */
export const sanctionsMatch = detector({
  name: 'sanctions_match',
  about: 'A payee that matches a sanctions list is paid, or is to be paid.',
  params: z.strictObject({}),
  judge(event, { payee: { screening } }) {
    if (!screening || !paying.has(event.type)) return null;
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
      subject: event.payee_id,
      seqs: [event.chain_seq],
    };
  },
});

const paying = new Set<EventType>(['payment.requested', 'payment.authorized', 'payment.settled']);

const decisionOf = ({ state }: Screened) =>
  state === 'confirmed_match'
    ? 'A person has confirmed it: do not pay, and follow your sanctions procedure for what was paid.'
    : 'Nobody has decided on it yet: do not pay until a person has reviewed the screening.';
