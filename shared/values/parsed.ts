/** What a parser of one text answers: the canonical value, or what would be right (`must be …`, to follow a name). */
export type Parsed<T> = { ok: true; value: T } | { ok: false; expected: string };

export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const unparsed = (expected: string): Parsed<never> => ({ ok: false, expected });
