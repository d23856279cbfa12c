import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { countries, isCountry } from '#shared/values/countries.ts';
import { currencyCodes, minorUnitExponent } from '#shared/values/currencies.ts';
import { parseDomainName } from '#shared/values/domain_name.ts';
import { oneOfCodes } from '#shared/json/json_schema.ts';
import { parseNetwork } from '#shared/values/networks.ts';
import { type Parsed, parsed, unparsed } from '#shared/values/parsed.ts';
import { parsedText, PayeeKeyInput } from '#shared/values/parsed_text.ts';
import { assetAddress } from '#shared/events/input/amount_normalize.ts';
import { withExamples } from '#shared/interface/schemas.ts';
import { line } from '#shared/values/text.ts';

const MOST_ITEMS = 1_000;
const MAX_UINT256 = String(2n ** 256n - 1n);

/** Compares whole numbers as digits. A refinement also sees other text, for which BigInt would throw. */
export const isAtMost = (a: string, b: string): boolean => a.length < b.length || (a.length === b.length && a <= b);

export const constraint = <const T extends string, S extends z.ZodRawShape>(type: T, parameters: S) =>
  z.strictObject({ type: z.literal(type), ...parameters });

/** Its description and example in documents. Must come last: refining a schema drops its example. */
export const example = (type: string, parameters: object) => withExamples([{ type, ...parameters }]);

/** How many of something are allowed. */
export const Count = z.int().min(1).max(1_000_000_000);

/** A list of a constraint: 1 to 1,000 items. */
export const listOf = <S extends z.ZodType>(item: S) => z.array(item).min(1).max(MOST_ITEMS);

/**
 * Money: a decimal string in the output; a JSON integer is accepted. Minor units of a currency or atomic units of an asset, at most
 * 2^256−1.
 */
export const Money = z
  .union([z.string(), z.int().min(0)])
  .transform(String)
  .pipe(
    z
      .string()
      .regex(
        /^(0|[1-9][0-9]{0,77})$/,
        'must be a whole number of at most 78 decimal digits, without sign, point or leading zero',
      )
      .refine(digits => isAtMost(digits, MAX_UINT256), 'must be at most 2^256−1'),
  )
  .meta({
    examples: ['5000'],
    override: {
      anyOf: [
        { type: 'string', pattern: '^(0|[1-9][0-9]{0,77})$' },
        { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      ],
    },
  });

export const Currency = z
  .string()
  .refine(code => minorUnitExponent(code) !== null, 'must be an active ISO 4217 code with a minor unit, such as USD')
  .meta({ examples: ['USD'], override: oneOfCodes(currencyCodes) });

export const Country = z
  .string()
  .refine(isCountry, 'must be an ISO 3166-1 alpha-2 code in upper case, such as DE')
  .meta({ examples: ['DE'], override: oneOfCodes(countries) });

export const Network = parsedText(parseNetwork, 41).meta({
  description: 'CAIP-2 chain id; x402 v1 names are mapped to it',
  examples: ['eip155:8453'],
});

/** A token, in the same form as in events. */
export const AssetName = z
  .strictObject({
    network: Network,
    address: z
      .string()
      .max(200)
      .regex(/^[!-~]+$/, 'must be printable ASCII without spaces'),
  })
  .superRefine(({ network, address }, context) => {
    const answer = assetAddress(network, address);
    if (!answer.ok) context.addIssue({ code: 'custom', path: ['address'], message: answer.expected });
  })
  .overwrite(asset => {
    const answer = assetAddress(asset.network, asset.address);
    return answer.ok ? { ...asset, address: answer.value } : asset;
  });

/** The unit of money: exactly one of the two, which `inOneUnit` checks. */
export const denomination = { currency: Currency.optional(), asset: AssetName.optional() };

/** Checks that money has one unit. */
export function inOneUnit(
  { currency, asset }: { currency?: unknown; asset?: unknown },
  context: z.RefinementCtx,
): void {
  if ((currency === undefined) === (asset === undefined))
    context.addIssue({ code: 'custom', path: ['currency'], message: 'or else asset must be given, and not both' });
}

/** A payee: by key, by domain (with subdomains), by name (with website), or by id as AP2 names merchants. */
export const PayeeMatch = z
  .strictObject({
    key: PayeeKeyInput.optional(),
    domain: parsedText(parseDomainName, 253).optional().meta({ description: 'covers its subdomains' }),
    name: line(200).optional(),
    website: parsedText(parseWebAddress, 2_000).optional(),
    merchant_id: line(200).optional().meta({
      description: 'the last part of a `merchant:` key; payees of other keys are compared by website, then by name',
    }),
  })
  .refine(
    ({ key, domain, name, merchant_id }) =>
      [key, domain, name ?? merchant_id].filter(value => value !== undefined).length === 1,
    { error: 'must have exactly one of key, domain, and name or merchant_id' },
  )
  .refine(({ name, merchant_id, website }) => website === undefined || (name ?? merchant_id) !== undefined, {
    path: ['website'],
    error: 'must stand beside name or merchant_id',
  });

/** A URL as events name resources; a bare host gets a slash, so that the prefix of one host never covers another. */
export const WebAddress = parsedText(parseWebAddress, 2_000).meta({ examples: ['https://api.example.com/'] });

function parseWebAddress(text: string): Parsed<string> {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url ? parsed(url.href) : unparsed('must be a URL such as https://api.example.com/');
}

/** Merchant category codes (ISO 18245): one, or a range. */
export const CategoryRange = z
  .string()
  .regex(/^\d{4}(-\d{4})?$/, 'must be a category code such as 5411, or a range such as 5400-5499')
  .refine(text => text.slice(0, 4) <= text.slice(-4), 'must be a range from the lower to the higher code');

/** An IANA time zone that this runtime knows. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')
  .default('UTC');

const knownZones = new LRUCache<string, boolean>({ max: 1_000 });

function isTimeZone(name: string): boolean {
  const cached = knownZones.get(name);
  if (cached !== undefined) return cached;
  const isZone = /^[A-Za-z]/.test(name) && isKnownToIntl(name);
  knownZones.set(name, isZone);
  return isZone;
}

function isKnownToIntl(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
