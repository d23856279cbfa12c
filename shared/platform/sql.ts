import { createSqlTag, type FragmentSqlToken } from 'slonik';

/** The tag of statements and of their fragments. */
export const sql = createSqlTag();

/**
 * Pieces of a statement, one after the other. A tag numbers the parameters of a fragment anew for each fragment that it is within; here that
 * happens once, which a long statement that runs for each request notices.
 */
export function concatenated(pieces: readonly (string | FragmentSqlToken)[]): FragmentSqlToken {
  let text = '';
  const values: FragmentSqlToken['values'][number][] = [];
  for (const piece of pieces) {
    const { sql: part, values: own } = typeof piece === 'string' ? { sql: piece, values: [] } : piece;
    const before = values.length;
    text +=
      own.length === 0 || before === 0
        ? part
        : part.replaceAll(PLACEHOLDER, (_, at) => `$slonik_${Number(at) + before}`);
    for (const value of own) values.push(value);
  }
  return { ...sql.fragment``, sql: text, values };
}

/** What Slonik writes for a parameter until it sends a statement. */
const PLACEHOLDER = /\$slonik_(\d+)/g;

/** The pattern of `like` that every text matches which holds this one. */
export const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/**
 * A text in lower case, whatever the letters: the database's own rules may know those of ASCII alone. Some indexes of `sql/indexes.sql` hold
 * the same expression.
 */
export const lowered = (text: FragmentSqlToken) => sql.fragment`lower((${text}) collate "und-x-icu")`;

/** Whether a text holds another, whatever their case. */
export const holdsText = (text: FragmentSqlToken, part: string) =>
  sql.fragment`${lowered(text)} like ${patternOf(part.toLowerCase())}`;
