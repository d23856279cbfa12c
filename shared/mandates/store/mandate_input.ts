import { z } from 'zod';
import { Id } from '#shared/interface/ids.ts';
import { Constraint } from '#shared/mandates/constraints.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { HumanPresence } from './mandates.ts';
import { withExamples } from '#shared/interface/schemas.ts';
import { line, named } from '#shared/values/text.ts';

const MOST_CONSTRAINTS = 50;
/** A page holds up to 200 mandates. */
const LONGEST = 200_000;

const fields = {
  name: named(200),
  valid_from: TimeInput.nullable(),
  valid_until: TimeInput.nullable().meta({ description: 'not included; must be later than valid_from' }),
  human_presence: HumanPresence,
  external_ref: line(200).nullable(),
  constraints: z
    .array(Constraint)
    .max(MOST_CONSTRAINTS)
    .refine(list => JSON.stringify(list).length <= LONGEST, `must take at most ${LONGEST} characters of JSON`),
};

const examples = [
  {
    agent_id: 'agt_01KAG4M0Y8N9T4A5W3R7C2XDEF',
    owner_id: 'own_01KAG4M0Y8N9T4A5W3R7C2XDEF',
    name: 'Office supplies',
    valid_until: '2027-01-01T00:00:00.000Z',
    constraints: [
      { type: 'payment.amount_range', max: '5000', currency: 'USD' },
      { type: 'payment.budget', max: '100000', currency: 'USD', interval: 'monthly' },
    ],
  },
];

export const NewMandate = z
  .strictObject({
    agent_id: Id('agt').meta({ description: 'an agent that is not known yet is registered' }),
    owner_id: Id('own').optional().meta({ description: 'the owner of the agent when left out' }),
    name: fields.name,
    valid_from: fields.valid_from.default(null),
    valid_until: fields.valid_until.default(null),
    human_presence: fields.human_presence.default('not_required'),
    external_ref: fields.external_ref.default(null),
    constraints: fields.constraints,
  })
  .meta({ id: 'NewMandate', ...withExamples(examples) });
export type NewMandate = z.output<typeof NewMandate>;

export const MandateChange = z
  .strictObject({
    ...fields,
    state: z.enum(['active', 'paused', 'revoked']).meta({ description: '`revoked` is final' }),
  })
  .partial()
  .meta({ id: 'MandateChange', ...withExamples([{ state: 'paused' }]) });
