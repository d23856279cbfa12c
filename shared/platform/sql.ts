import { createSqlTag } from 'slonik';

/** The tag of statements and of their fragments. */
export const sql = createSqlTag();

/** The pattern of `like` that every text matches which holds this one. */
export const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
