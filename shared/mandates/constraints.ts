import { z } from 'zod';
import { Rail } from '#shared/values/event_types.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { withExamples } from '#shared/interface/schemas.ts';
import { line } from '#shared/values/text.ts';
import {
  AssetName,
  CategoryRange,
  Country,
  Currency,
  denomination,
  inOneUnit,
  isAtMost,
  listOf,
  Money,
  Network,
  PayeeMatch,
  TimeZone,
  WebAddress,
} from './constraint_fields.ts';

const count = z.int().min(1).max(1_000_000_000);
const clock = /^([01]\d|2[0-3]):[0-5]\d$/;
const clockOrEnd = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const constraint = <const T extends string, S extends z.ZodRawShape>(type: T, parameters: S) =>
  z.strictObject({ type: z.literal(type), ...parameters });
/** Comes last: a schema that is refined is another one, and has no example yet. */
const example = (type: string, parameters: object) => withExamples([{ type, ...parameters }]);

const payees = <const T extends string>(type: T) =>
  constraint(type, { payees: listOf(PayeeMatch) }).meta(
    example(type, { payees: [{ key: 'iban:DE89370400440532013000' }, { domain: 'example.com' }] }),
  );
const ids = <const T extends string>(type: T) =>
  constraint(type, { ids: listOf(line(200)) }).meta(example(type, { ids: ['tok_1'] }));
const categories = <const T extends string>(type: T) =>
  constraint(type, { mcc: listOf(CategoryRange) }).meta(example(type, { mcc: ['5411', '5400-5499'] }));
const values = <const T extends string, S extends z.ZodType>(type: T, item: S, examples: string[]) =>
  constraint(type, { values: listOf(item) }).meta(example(type, { values: examples }));

const options = [
  constraint('payment.amount_range', { min: Money.optional(), max: Money, ...denomination })
    .superRefine(inOneUnit)
    .refine(({ min, max }) => min === undefined || isAtMost(min, max), {
      path: ['max'],
      error: 'must not be less than min',
    })
    .meta(example('payment.amount_range', { min: '0', max: '5000', currency: 'USD' })),
  constraint('payment.budget', {
    max: Money,
    ...denomination,
    interval: z.enum(['per_mandate', 'hourly', 'daily', 'weekly', 'monthly', 'yearly']),
    window: z.enum(['calendar', 'rolling']).default('calendar'),
    tz: TimeZone,
  })
    .superRefine(inOneUnit)
    .meta(
      example('payment.budget', { max: '100000', currency: 'USD', interval: 'daily', window: 'calendar', tz: 'UTC' }),
    ),
  constraint('payment.agent_recurrence', {
    frequency: z.enum(['ON_DEMAND', 'DAILY', 'WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'ANNUALLY']),
    max_occurrences: count.optional(),
  }).meta(example('payment.agent_recurrence', { frequency: 'MONTHLY', max_occurrences: 12 })),
  constraint('payment.velocity', {
    max: count,
    window_s: z.int().min(1).max(31_622_400).meta({ description: 'seconds, at most 366 days' }),
  }).meta(example('payment.velocity', { max: 10, window_s: 3_600 })),
  payees('payment.allowed_payees'),
  payees('payment.blocked_payees'),
  ids('payment.allowed_payment_instruments'),
  ids('payment.allowed_pisps'),
  categories('payment.allowed_categories'),
  categories('payment.blocked_categories'),
  values('payment.allowed_rails', Rail, ['card', 'x402']),
  values('payment.allowed_currencies', Currency, ['USD', 'EUR']),
  values('payment.allowed_networks', Network, ['eip155:8453']),
  values('payment.allowed_countries', Country, ['DE', 'FR']),
  values('payment.blocked_countries', Country, ['KP']),
  constraint('payment.allowed_assets', { assets: listOf(AssetName) }).meta(
    example('payment.allowed_assets', {
      assets: [{ network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }],
    }),
  ),
  constraint('payment.execution_date', { not_before: TimeInput.optional(), not_after: TimeInput.optional() })
    .refine(({ not_before, not_after }) => not_before !== undefined || not_after !== undefined, {
      error: 'must have not_before or not_after',
    })
    .refine(({ not_before, not_after }) => !not_before || !not_after || not_before <= not_after, {
      path: ['not_after'],
      error: 'must not be earlier than not_before',
    })
    .meta(
      example('payment.execution_date', {
        not_before: '2026-12-01T00:00:00.000Z',
        not_after: '2026-12-24T00:00:00.000Z',
      }),
    ),
  constraint('payment.time_of_day', {
    days: z
      .array(z.enum(days))
      .min(1)
      .max(7)
      .default([...days])
      .overwrite(given => days.filter(day => given.includes(day))),
    from: z.string().regex(clock, 'must be a time of day such as 09:00'),
    to: z.string().regex(clockOrEnd, 'must be a time of day such as 18:00, or 24:00').meta({
      description:
        'not included; when it is before `from`, it is on the day after, and the night counts to the day it began on',
    }),
    tz: TimeZone,
  })
    .refine(({ from, to }) => from !== to, {
      path: ['to'],
      error: 'must differ from `from`; the whole day is 00:00 to 24:00',
    })
    .meta(example('payment.time_of_day', { days: ['mon', 'tue'], from: '09:00', to: '18:00', tz: 'Europe/Berlin' })),
  constraint('payment.allowed_resources', { prefixes: listOf(WebAddress) }).meta(
    example('payment.allowed_resources', { prefixes: ['https://api.example.com/'] }),
  ),
  constraint('payment.approval_required', { above: Money, ...denomination })
    .superRefine(inOneUnit)
    .meta(example('payment.approval_required', { above: '10000', currency: 'USD' })),
  constraint('payment.reference', {
    hash: z
      .string()
      .max(200)
      .regex(/^[!-~]+$/, 'must be printable ASCII without spaces'),
  }).meta(example('payment.reference', { hash: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' })),
] as const;

/** The types of constraint there are. */
export const constraintTypes = options.map(option => option.shape.type.value);

/** One limit of a mandate. Money counts minor units of `currency`, or atomic units of `asset`. */
export const Constraint = z
  .discriminatedUnion('type', options, {
    error: issue => (issue.code === 'invalid_union' ? `must be one of ${constraintTypes.join(', ')}` : undefined),
  })
  .meta({
    id: 'NewConstraint',
    outputId: 'Constraint',
    description: 'One limit. Money counts minor units of `currency`, or atomic units of `asset`; exactly one is given.',
  });
export type Constraint = z.output<typeof Constraint>;

/** A constraint as a mandate has it: an imported one may be of a type that only its signer knows, and leaves every payment unresolved. */
export const StoredConstraint = z.union([
  Constraint,
  z
    .looseObject({ type: z.string() })
    .meta({ id: 'UnknownConstraint', description: 'Of an imported mandate; it cannot be evaluated here.' }),
]);
export type StoredConstraint = z.output<typeof StoredConstraint>;
