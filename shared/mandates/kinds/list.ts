import type { z } from 'zod';
import { constraint, example, listOf } from '#shared/mandates/constraint_fields.ts';
import { breach, compliant, listed, type Rule, unresolved } from '#shared/mandates/rule.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { type Field, itemsText, type KindWords } from './words.ts';

/** The schema of a kind that has nothing but a list. */
export const listSchema = <const T extends string, const M extends string, S extends z.ZodType>(
  type: T,
  member: M,
  item: S,
  examples: readonly z.input<S>[],
) =>
  constraint(type, { [member]: listOf(item) } as Record<M, z.ZodArray<S>>).meta(example(type, { [member]: examples }));

/** `read` finds what is compared; when the event does not say, it is open with the code `unknown`, else as not in the list. */
type List = {
  code: string;
  unknown?: string;
  read(event: ReportedEvent): string | null;
  has(value: string): boolean;
  values: readonly string[];
};

/** The rule of a list of what alone is allowed. */
export const allowed = (list: List): Rule => listRule(list, true);

/** The rule of a list of what is not allowed. */
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

/** Whether a value is one of these. */
export function among(values: readonly string[]): (value: string) => boolean {
  const set = new Set(values);
  return value => set.has(value);
}

type ListWords = Pick<KindWords, 'type' | 'name'> & {
  /** What the limit says before its items. */
  limit: string;
  /** What is compared, after "the". */
  thing: string;
  field: Field;
  /** One item in words. */
  textOf?: (item: never) => string;
};

/** The words of a list of what alone is allowed. */
export const allowedWords = (words: ListWords): KindWords => listWords(words, 'is not among those allowed');

/** The words of a list of what is not allowed. */
export const blockedWords = (words: ListWords): KindWords => listWords(words, 'is among those blocked');

const listWords = ({ type, name, limit, thing, field, textOf }: ListWords, wrong: string): KindWords => ({
  type,
  name,
  limit: (terms, style) => `${limit}: ${itemsText(terms[field.name], style, textOf)}`,
  verdict: outcome => `the ${thing} (${outcome.observed}) ${wrong}: ${outcome.limit}`,
  fields: [field],
  initial: { [field.name]: [] },
});
