import { createSqlTag } from 'slonik';

/** The tag of statements and of their fragments. */
export const sql = createSqlTag();
