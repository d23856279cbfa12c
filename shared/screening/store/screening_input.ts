import { z } from 'zod';
import { countriesOf } from '#shared/screening/lists/countries.ts';
import { isCountry } from '#shared/values/countries.ts';
import { Id } from '#shared/interface/ids.ts';
import { parseNetwork } from '#shared/values/networks.ts';
import { type Parsed, parsed, unparsed } from '#shared/values/parsed.ts';
import { parsedText, PayeeKeyInput } from '#shared/values/parsed_text.ts';
import { parsePayeeKey } from '#shared/values/payee_key.ts';
import { Decision } from './screenings.ts';
import { IdentifierType, nobody, type Subject, SubjectType } from './screening_query.ts';
import { ThresholdInput } from './screening_settings.ts';
import { line } from '#shared/values/text.ts';
import { manyLines } from '#shared/values/text.ts';

/** Names on bills of lading, and pasted into the wrong field, are long. */
const LONGEST_NAME = 10_000;
const MOST_OF_EACH = 50;

const Name = z.string().trim().min(1).max(LONGEST_NAME);

const Country = parsedText(parseCountry, 100).meta({
  description: 'ISO 3166-1 alpha-2, or an English name',
  examples: ['DE', 'Germany'],
});

function parseCountry(text: string): Parsed<string> {
  const code = countriesOf(text).find(isCountry);
  return code
    ? parsed(code)
    : unparsed('must be an ISO 3166-1 alpha-2 code such as DE, or the English name of a country');
}

const BirthDate = z
  .string()
  .regex(/^[12][0-9]{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$/, 'must be a day such as 1957-03-10, or a year')
  .refine(isOfCalendar, 'must be a day that there was')
  .meta({ description: 'a day, a month or a year', examples: ['1957-03-10', '1957'] });

function isOfCalendar(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const Wallet = z
  .strictObject({
    network: parsedText(parseNetwork, 41)
      .optional()
      .meta({
        description: 'CAIP-2 chain id, or an x402 v1 name; left out, the address is looked for on every chain',
        examples: ['eip155:8453'],
      }),
    address: line(200, z.string().trim()),
  })
  .superRefine(({ network, address }, context) => {
    const key = network === undefined ? null : parsePayeeKey(`${network}:${address}`);
    if (key && !key.ok) context.addIssue({ code: 'custom', path: ['address'], message: key.expected });
  });

export const SubjectInput = z
  .strictObject({
    key: PayeeKeyInput.optional(),
    name: Name.optional(),
    type: SubjectType.optional(),
    country: Country.optional(),
    aliases: z.array(Name.max(1_000)).max(MOST_OF_EACH).optional(),
    date_of_birth: BirthDate.optional(),
    wallets: z.array(Wallet).max(MOST_OF_EACH).optional(),
    identifiers: z
      .array(z.strictObject({ type: IdentifierType, value: line(255, z.string().trim()) }))
      .max(MOST_OF_EACH)
      .optional(),
  })
  .meta({
    id: 'ScreenedPayee',
    description: 'Whom to look for. With a payee_id: what to take in place of what is registered.',
  });

/** The options of a call, for one payee or several. */
export const bounds = {
  lists: z.array(line(64)).min(1).max(MOST_OF_EACH).optional().meta({
    description: 'names of lists; all there are when left out',
  }),
  threshold: ThresholdInput.optional().meta({
    description: 'from which score on a match is returned, for this call alone',
  }),
  limit: z.int().min(1).max(100).default(10).meta({ description: 'how many matches of a payee are returned' }),
};

export const NOTHING_TO_SEARCH = 'must have at least one of name, aliases, key, wallets, identifiers';

/** The body of POST /v1/screen about one payee. */
export const NewScreening = z
  .strictObject({
    payee_id: Id('pye').optional().meta({ description: 'a registered payee; the outcome then counts for it' }),
    payee: SubjectInput.optional(),
    ...bounds,
  })
  .superRefine(({ payee_id, payee }, context) => {
    if (payee_id !== undefined) return;
    if (!payee) context.addIssue({ code: 'custom', message: 'must have payee_id, or payee, or both' });
    else if (!isSearchable(payee))
      context.addIssue({
        code: 'custom',
        path: ['payee'],
        message: NOTHING_TO_SEARCH,
      });
  })
  .meta({
    id: 'NewScreening',
    examples: [{ payee: { name: 'Acme Shipping Ltd', country: 'Panama', type: 'organization' } }],
    override: {
      anyOf: ['payee_id', 'payee'].map(name => ({ properties: { [name]: {} }, required: [name] })),
    },
  });
export type NewScreening = z.output<typeof NewScreening>;

export const isSearchable = ({
  name,
  key,
  aliases = [],
  wallets = [],
  identifiers = [],
}: z.output<typeof SubjectInput>) =>
  name !== undefined || key !== undefined || aliases.length + wallets.length + identifiers.length > 0;

/** The subject of a body; what it leaves out is taken from `defaults`. */
export const subjectOf = (input: z.output<typeof SubjectInput> = {}, defaults: Subject = nobody): Subject => ({
  key: input.key ?? defaults.key,
  name: input.name ?? defaults.name,
  type: input.type ?? defaults.type,
  country: input.country ?? defaults.country,
  aliases: input.aliases ?? defaults.aliases,
  date_of_birth: input.date_of_birth ?? defaults.date_of_birth,
  wallets: input.wallets?.map(canonicalWallet) ?? defaults.wallets,
  identifiers: input.identifiers ?? defaults.identifiers,
});

function canonicalWallet({ network, address }: z.output<typeof Wallet>) {
  if (network === undefined) return { network: null, address };
  const key = parsePayeeKey(`${network}:${address}`);
  return { network, address: key.ok ? key.value.slice(network.length + 1) : address };
}

/** The body of a review. */
export const NewReview = z
  .strictObject({
    decision: Decision,
    // A blank reason is well-formed: it is refused where a reason is needed.
    reason: z
      .string()
      .max(2_000)
      .regex(manyLines, 'must not contain control characters other than tab and line break')
      .optional()
      .meta({ description: 'required to dismiss an exact identifier, or a score of 0.95 or more' }),
    updated_at: z.iso
      .datetime({ offset: true, error: 'must be the updated_at of the screening as it was read' })
      .optional()
      .meta({ description: 'of the screening as it was read: it is refused where that has changed since' }),
  })
  .meta({ id: 'NewReview', examples: [{ decision: 'false_positive', reason: 'another company of that name' }] });
