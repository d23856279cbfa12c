import type { ConstraintResult } from './evaluation.ts';
import { wordsOfKind } from '#shared/mandates/kinds/index.ts';
import type { Style, ConstraintTerms, ConstraintOutcome } from '#shared/mandates/kinds/words.ts';
import { moneyText } from './money_text.ts';

/**
 * A constraint's verdict on a payment, for people: what was paid, and what is allowed. Without a full stop. `terms` is undefined for the
 * mandate's own conditions.
 */
export function describeResult(result: ConstraintResult, terms: ConstraintTerms | undefined): string {
  const { type, code, observed, limit } = result;
  const words = wordsOfKind(type);
  const verdict = words?.verdict ?? ownVerdicts.get(type);
  const isPart = words?.sums === true && observed !== null;
  if (!verdict || (result.result === 'unresolved' && !isPart))
    return `${nameOf(type)} could not be evaluated${code ? ` (${code})` : ''}`;
  const text = (value: string | null) => (value === null ? 'unknown' : moneyText(value, terms));
  const sentence = verdict({ code, observed: text(observed), limit: text(limit), terms: terms ?? { type } });
  return result.result === 'unresolved' ? `${sentence}, excluding payments without a price` : sentence;
}

/** A constraint in words, without a full stop; null for an unknown type. May contain external text of any length. */
export const describeLimit = (terms: ConstraintTerms, style: Partial<Style> = {}): string | null =>
  wordsOfKind(terms.type)?.limit(terms, { most_items: Infinity, time: at => at, ...style }) ?? null;

/** The mandate's own conditions. */
const ownVerdicts: ReadonlyMap<string, (told: ConstraintOutcome) => string> = new Map<
  string,
  (told: ConstraintOutcome) => string
>([
  ['mandate.agent', ({ observed, limit }) => `it is for agent ${limit}, but agent ${observed} paid`],
  ['mandate.state', ({ observed }) => `it was ${observed} at the time`],
  ['mandate.validity', validity],
  ['mandate.human_presence', () => 'human approval is required but missing'],
]);

function validity({ code, observed, limit }: ConstraintOutcome): string {
  const [from, until] = limit.split('/');
  if (code === 'mandate_expired') return `it expired at ${until}; the payment was at ${observed}`;
  return `it starts at ${from}; the payment was at ${observed}`;
}

const nameOf = (type: string): string => type.replace(/^(payment|mandate)\./, '').replaceAll('_', ' ');
