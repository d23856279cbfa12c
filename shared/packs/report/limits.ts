/** Rows of a table. */
export const MOST_ROWS = 100;
/** Items that take more than a few lines each. */
export const MOST_TALL = 30;
/** Rows listed within one of those. */
export const MOST_WITHIN = 20;
/** Events named behind a number. */
export const MOST_REFS = 4;
/** Characters of a name, and of a text that somebody wrote. */
export const LONGEST_NAME = 120;
export const LONGEST_TEXT = 1_000;
