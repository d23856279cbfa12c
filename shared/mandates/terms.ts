import { approvalOf } from './approval.ts';
import type { ConstraintResult, JudgedMandate } from './evaluation.ts';
import { breach, type JudgedPayment } from './rule.ts';
import { timestamp } from '#shared/values/time.ts';

/**
 * What of a mandate is broken beside its constraints: whose it is, whether it is in force, and whether a person has to be there. What
 * holds is not listed, so that a payment as it should be has one row a constraint.
 */
export function judgeTerms(judged: JudgedPayment): ConstraintResult[] {
  const { mandate, event, context } = judged;
  const results: ConstraintResult[] = [];
  if (mandate.agent_id !== event.agent_id)
    results.push({
      type: 'mandate.agent',
      ...breach('agent_not_allowed', { observed: event.agent_id, limit: mandate.agent_id }),
    });
  const { state } = mandate;
  if (!inForce(mandate))
    results.push({ type: 'mandate.state', ...breach('mandate_inactive', { observed: state, limit: 'active' }) });
  const outside = outsideValidity(mandate, context.position.at);
  if (outside) results.push(outside);
  if (mandate.human_presence === 'required' && approvalOf(event) === null) {
    const numbers = { observed: null, limit: 'required' };
    results.push({ type: 'mandate.human_presence', ...breach('approval_missing', numbers) });
  }
  return results;
}

/** One that is used up is in force: what goes beyond it breaks its budget. */
const inForce = ({ state }: JudgedMandate): boolean => state === 'active' || state === 'exhausted';

/** From `valid_from` on and before `valid_until`. */
function outsideValidity({ valid_from, valid_until }: JudgedMandate, at: number): ConstraintResult | null {
  const early = valid_from !== null && at < valid_from;
  if (!early && (valid_until === null || at < valid_until)) return null;
  // An interval of ISO 8601-2: two dots for an open end.
  const numbers = { observed: timeText(at), limit: `${timeText(valid_from)}/${timeText(valid_until)}` };
  return { type: 'mandate.validity', ...breach(early ? 'mandate_inactive' : 'mandate_expired', numbers) };
}

const LAST_TIME = 8_640_000_000_000_000;

/** Signed mandates of others may name times that no calendar has. */
const timeText = (at: number | null): string => {
  if (at === null) return '..';
  return Math.abs(at) <= LAST_TIME ? timestamp(at) : String(at);
};
