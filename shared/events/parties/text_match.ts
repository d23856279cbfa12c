import { patternOf, sql } from '#shared/platform/db.ts';
import { fold } from '#shared/values/fold.ts';

/** Whether the column `folded` holds a text, whatever its case and accents, as a condition. */
export function foldedHolds(text: string) {
  // A text of accents and invisible characters alone folds to nothing, which would be part of every name.
  const folded = fold(text);
  return sql.fragment`(folded like ${patternOf(folded)} and ${folded} <> '')`;
}
