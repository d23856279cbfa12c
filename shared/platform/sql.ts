import { createSqlTag, type FragmentSqlToken } from 'slonik';

/** The tag of statements and of their fragments. */
export const sql = createSqlTag();

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
