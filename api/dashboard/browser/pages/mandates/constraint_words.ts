import { describeLimit } from '#shared/mandates/describe.ts';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';
import { timeText, wordsOf } from '#api/dashboard/browser/parts/format.ts';

/** A constraint as people say it. One that only its signer knows is named. */
export function constraintText(terms: ConstraintTerms): string {
  const words = describeLimit(terms, { most_items: 8, time: timeText });
  return words === null
    ? `${wordsOf(terms.type)}: unknown constraint; every payment stays unresolved`
    : words.charAt(0).toUpperCase() + words.slice(1);
}
