import { moneyText } from '#shared/mandates/money_text.ts';

/** A constraint as in a mandate: of a known type, or of one that only its signer knows. */
export type ConstraintTerms = { type: string } & Record<string, unknown>;

/** The texts and form fields of a kind of constraint. Independent of the schemas, so that browsers can load it alone. */
export type KindWords = {
  type: string;
  /** Its name in forms. */
  name: string;
  /** What it requires of payments, to be read after “a payment:”; without a full stop. */
  limit(terms: ConstraintTerms, style: Style): string;
  /** Its result for a payment, without a full stop; absent if no reported fact can be compared with it. */
  verdict?(told: ConstraintOutcome): string;
  /** The observed value is worth stating even if part of it could not be priced. */
  sums?: true;
  /** The fields of its form; if there are none, it is entered as JSON. */
  fields: readonly Field[];
  /** The initial members of a new one. */
  initial: object;
};

/** The most items of a list to name, and how to write a time given as RFC 3339. */
export type Style = { most_items: number; time(at: string): string };

/** The outcome of a constraint: its code, and the observed and the allowed value as text. */
export type ConstraintOutcome = { code: string | undefined; observed: string; limit: string; terms: ConstraintTerms };

/** A field of a form: which member it sets, and how it is entered. It is left out while `shown` returns false. */
export type Field = { name: string; label: string; shown?(terms: ConstraintTerms): boolean } & (
  | { as: 'money' | 'count'; optional?: true }
  | { as: 'choice' | 'ticks'; of: readonly (readonly [value: string, label: string])[] }
  | { as: 'list' | 'lines'; hint: string; upper?: true }
  | { as: 'payees' | 'clock' | 'zone' | 'time' | 'text' | 'duration'; hint?: string }
);

/** A member of a constraint that is money, in its unit. */
export const moneyIn = (terms: ConstraintTerms, member: string): string => moneyText(String(terms[member]), terms);

/** The items of a list, as many as may be named. `textOf` writes one. */
export function itemsText(values: unknown, { most_items }: Style, textOf: (item: never) => string = String): string {
  const texts = Array.isArray(values) ? values.map(item => textOf(item as never)) : [];
  const list = texts.slice(0, most_items).join(', ');
  return texts.length > most_items ? `${list} and ${texts.length - most_items} more` : list;
}

/** A list of words as the options of a choice. */
export const asOptions = (words: readonly string[]) => words.map(word => [word, word] as const);

export const zoneField: Field = { name: 'tz', label: 'Time zone', as: 'zone' };
