import { approvalOf } from '#shared/mandates/approval.ts';
import type { ConstraintResult, JudgedMandate } from '#shared/mandates/evaluation.ts';
import { breach, compliant, type Judged } from '#shared/mandates/rule.ts';
import { timestamp } from '#shared/time.ts';

/**
 * What of a mandate is broken beside its constraints: whose it is, whether it is in force, and whether a person has to be there. What
 * holds is not listed, so that a payment as it should be has one row a constraint.
 */
export function judgeTerms(judged: Judged): ConstraintResult[] {
  const { mandate, event, context } = judged;
  const results: ConstraintResult[] = [];
  if (mandate.agent_id !== event.agent_id)
    results.push({
      type: 'mandate.agent',
      ...breach('agent_not_allowed', { observed: event.agent_id, limit: mandate.agent_id }),
    });
  results.push(judgeState(mandate), judgeValidity(mandate, context.position.at));
  if (mandate.human_presence === 'required') {
    const observed = approvalOf(event);
    const numbers = { observed, limit: 'required' };
    const answer = observed === null ? breach('approval_missing', numbers) : compliant(numbers);
    results.push({ type: 'mandate.human_presence', ...answer });
  }
  return results.filter(({ result }) => result !== 'compliant');
}

/** One that is used up is in force: what goes beyond it breaks its budget. */
function judgeState({ state }: JudgedMandate): ConstraintResult {
  const numbers = { observed: state, limit: 'active' };
  const inForce = state === 'active' || state === 'exhausted';
  return { type: 'mandate.state', ...(inForce ? compliant(numbers) : breach('mandate_inactive', numbers)) };
}

/** From `valid_from` on and before `valid_until`. */
function judgeValidity({ valid_from, valid_until }: JudgedMandate, at: number): ConstraintResult {
  // An interval of ISO 8601-2: two dots for an open end.
  const numbers = { observed: timeText(at), limit: `${timeText(valid_from)}/${timeText(valid_until)}` };
  const type = 'mandate.validity';
  if (valid_from !== null && at < valid_from) return { type, ...breach('mandate_inactive', numbers) };
  if (valid_until !== null && at >= valid_until) return { type, ...breach('mandate_expired', numbers) };
  return { type, ...compliant(numbers) };
}

const LAST_TIME = 8_640_000_000_000_000;

/** Signed mandates of others may name times that no calendar has. */
const timeText = (at: number | null): string => {
  if (at === null) return '..';
  return Math.abs(at) <= LAST_TIME ? timestamp(at) : String(at);
};
