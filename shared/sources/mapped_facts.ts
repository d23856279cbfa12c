import { isCountry } from '#shared/values/countries.ts';
import { EventType, Rail } from '#shared/values/event_types.ts';
import { type JsonObject, quoted } from '#shared/verification/json.ts';
import {
  amountAt,
  IGNORED,
  type Mapping,
  payeeKeyOf,
  placeOf,
  textAt,
  timeOf,
} from '#shared/verification/psp_webhook/mapping.ts';
import type { Psp } from '#shared/verification/psp_webhook/psp_amount.ts';
import type { PspStatement } from '#shared/verification/psp_webhook/statement.ts';
import { type NoticeFacts, oneLineOf, type ReadingProblem, withoutMissing } from './facts.ts';

/** The facts by the mapping of a source. `ignored`: the mapping does not know its type. */
type Mapped = { facts: Partial<NoticeFacts>; ignored: boolean; problems: Omit<ReadingProblem, 'item'>[] };

/** Reads an object by the mapping of its source. Missing facts are left out; an invalid one is a problem. */
export function mappedFacts(
  object: JsonObject,
  said: PspStatement,
  { mapping = {}, service }: { mapping: Mapping | undefined; service: string },
  psp: Psp,
): Mapped {
  const problems: Mapped['problems'] = [];
  const wrong = (name: keyof Mapping, message: string): null => {
    const path = placeOf(mapping[name]);
    problems.push({ code: `unreadable_${name}`, message: `${name} ${message}`, ...(path && { path }) });
    return null;
  };
  const text = (name: Exclude<keyof Mapping, 'amount'>) => textAt(object, mapping[name]);
  const oneOf = <T extends string>(name: 'type' | 'rail', schema: { safeParse(value: unknown): { data?: T } }) => {
    const mapped = text(name);
    if (mapped === null || mapped === IGNORED) return null;
    return schema.safeParse(mapped).data ?? wrong(name, `is ${quoted(mapped)}; say in values what that means`);
  };
  const ignored = text('type') === IGNORED;
  const payee = mappedText(text('payee'));
  const name = oneLineOf(mappedText(text('payee_name')), 200) ?? undefined;
  const said_country = mappedText(text('payee_country'))?.toUpperCase() ?? '';
  const country = isCountry(said_country) ? said_country : undefined;
  const facts = withoutMissing({
    notice: mappedText(text('event_id')),
    type: ignored ? null : oneOf('type', EventType),
    payment_id: mappedText(text('payment_id')),
    agent: mappedText(text('agent')),
    owner: mappedText(text('owner')),
    payee: payee === null ? null : { key: payeeKeyOf(payee, service), name, country },
    category: mappedText(text('category')),
    rail: oneOf('rail', Rail),
    amount: amountAt(object, mapping, said, psp, wrong),
    occurred_at: timeOf(text('occurred_at'), message => wrong('occurred_at', message)),
  });
  return { facts, ignored, problems };
}

const mappedText = (mapped: string | null) => (mapped === IGNORED ? null : oneLineOf(mapped, 500));
