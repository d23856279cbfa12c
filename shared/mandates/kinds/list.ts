import type { z } from 'zod';
import { constraint, example, listOf } from '#shared/mandates/constraint_fields.ts';
import { breach, compliant, listed, type Rule, unresolved } from '#shared/mandates/rule.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { type Field, itemsText, type KindWords } from './words.ts';

/** The schema of a kind that consists of one list. */
export const listSchema = <const T extends string, const M extends string, S extends z.ZodType>(
  type: T,
  member: M,
  item: S,
  examples: readonly z.input<S>[],
) =>
  constraint(type, { [member]: listOf(item) } as Record<M, z.ZodArray<S>>).meta(example(type, { [member]: examples }));

/**
 * `read` returns the value to compare; when the event does not contain it, the result is unresolved with the code `unknown` if there is
 * one, and otherwise as for a value not in the list.
 */
type List = {
  code: string;
  unknown?: string;
  read(event: ReportedEvent): string | null;
  has(value: string): boolean;
  values: readonly string[];
};

/** The rule of an allow list. */
export const allowed = (list: List): Rule => listRule(list, true);

/** The rule of a block list. */
export const blocked = (list: List): Rule => listRule(list, false);

function listRule({ code, unknown, read, has, values }: List, wanted: boolean): Rule {
  const limit = listed(values);
  return {
    judge({ event }) {
      const observed = read(event);
      if (observed === null && unknown !== undefined) return unresolved(unknown, { observed, limit });
      const isListed = observed !== null && has(observed);
      return isListed === wanted ? compliant({ observed, limit }) : breach(code, { observed, limit });
    },
  };
}

/** Tells whether a value is one of these. */
export function among(values: readonly string[]): (value: string) => boolean {
  const set = new Set(values);
  return value => set.has(value);
}

type ListWords = Pick<KindWords, 'type' | 'name'> & {
  /** The text of the limit, before its items. */
  limit: string;
  /** The thing compared, after "the". */
  thing: string;
  field: Field;
  /** The text of one item. */
  textOf?: (item: never) => string;
};

/** The texts of an allow list. */
export const allowedWords = (words: ListWords): KindWords => listWords(words, 'is not among those allowed');

/** The texts of a block list. */
export const blockedWords = (words: ListWords): KindWords => listWords(words, 'is among those blocked');

const listWords = ({ type, name, limit, thing, field, textOf }: ListWords, wrong: string): KindWords => ({
  type,
  name,
  limit: (terms, style) => `${limit}: ${itemsText(terms[field.name], style, textOf)}`,
  verdict: outcome => `the ${thing} (${outcome.observed}) ${wrong}: ${outcome.limit}`,
  fields: [field],
  initial: { [field.name]: [] },
});
