import { moneyText } from '#shared/mandates/money_text.ts';

/** A constraint as it stands in a mandate: of a known type, or of one that only its signer knows. */
export type ConstraintTerms = { type: string } & Record<string, unknown>;

/** What people read of a kind of constraint and fill in for it. Nothing here needs the schemas, so that a browser can have it alone. */
export type KindWords = {
  type: string;
  /** What forms call it. */
  name: string;
  /** What it asks of payments, to be read after “a payment:”; without a full stop. */
  limit(terms: ConstraintTerms, style: Style): string;
  /** What it makes of a payment, without a full stop; absent where nothing that is reported can be held against it. */
  verdict?(told: ConstraintOutcome): string;
  /** What was observed is worth saying even where some of it could not be priced. */
  sums?: true;
  /** What is asked for when one is written; where there is nothing, it is written as JSON. */
  fields: readonly Field[];
  /** The members that a new one begins with. */
  initial: object;
};

/** How many items of a list are named at most, and how a time is written that is given as RFC 3339. */
export type Style = { most_items: number; time(at: string): string };

/** What a constraint came to: its code, and what was observed and is allowed as people write it. */
export type ConstraintOutcome = { code: string | undefined; observed: string; limit: string; terms: ConstraintTerms };

/** A field of a form: which member it sets, and as what it is asked for. It is left out while `shown` says so of the other members. */
export type Field = { name: string; label: string; shown?(terms: ConstraintTerms): boolean } & (
  | { as: 'money' | 'count'; optional?: true }
  | { as: 'choice' | 'ticks'; of: readonly (readonly [value: string, label: string])[] }
  | { as: 'list' | 'lines'; hint: string; upper?: true }
  | { as: 'payees' | 'clock' | 'zone' | 'time' | 'text' | 'duration'; hint?: string }
);

/** A member of a constraint that is money, in its unit. */
export const moneyIn = (terms: ConstraintTerms, member: string): string => moneyText(String(terms[member]), terms);

/** The items of a list, as many as are to be named. `textOf` says one. */
export function itemsText(values: unknown, { most_items }: Style, textOf: (item: never) => string = String): string {
  const texts = Array.isArray(values) ? values.map(item => textOf(item as never)) : [];
  const list = texts.slice(0, most_items).join(', ');
  return texts.length > most_items ? `${list} and ${texts.length - most_items} more` : list;
}

/** A list of words as the options of a choice. */
export const asOptions = (words: readonly string[]) => words.map(word => [word, word] as const);

/** The field of a time zone. */
export const zoneField: Field = { name: 'tz', label: 'Time zone', as: 'zone' };
