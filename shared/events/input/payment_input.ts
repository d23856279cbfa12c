import { z } from 'zod';
import { AmountUnit, PayeeType, PaymentStatus, Rail } from '#shared/values/event_types.ts';
import { countries } from '#shared/values/countries.ts';
import { currencyCodes } from '#shared/values/currencies.ts';
import { oneOfCodes } from '#shared/json/json_schema.ts';
import { line, visibleLine } from '#shared/values/text.ts';
import { describeAmount } from './event_document.ts';

export const CountryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 alpha-2 code in upper case, such as DE')
  .meta({
    id: 'CountryCode',
    description: 'ISO 3166-1 alpha-2 country code, upper case.',
    examples: ['DE'],
    override: oneOfCodes(countries),
  });

const CurrencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code in upper case, such as USD')
  .meta({
    id: 'CurrencyCode',
    description: 'ISO 4217 code of a currency with a minor unit.',
    examples: ['USD'],
    override: oneOfCodes(currencyCodes),
  });

const AssetInput = z.strictObject({
  network: line(41).meta({
    description: 'CAIP-2 chain id such as eip155:8453; x402 v1 names such as base are mapped to it.',
    examples: ['eip155:8453'],
    override: { pattern: '^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$|^[a-z0-9-]{1,41}$' },
  }),
  address: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[!-~]+$/, 'must be printable ASCII without spaces')
    .meta({
      description:
        'Token contract or mint. EVM addresses in any case; the EIP-55 checksum must be right in mixed case.',
      examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    }),
  symbol: line(32).optional(),
  decimals: z
    .int()
    .min(0)
    .max(77)
    .optional()
    .meta({ description: 'Must agree with the asset registry when the asset is known.' }),
});

const AmountInput = z
  .strictObject({
    value: z
      .string()
      .regex(
        /^(?:0|[1-9][0-9]{0,77})$/,
        'must be a whole number of at most 78 decimal digits, without sign, point or leading zero',
      )
      .meta({ description: 'Decimal integer in minor or atomic units, at most 2^256−1.' }),
    unit: AmountUnit,
    currency: CurrencyCode.optional(),
    asset: AssetInput.optional(),
  })
  .meta({
    id: 'AmountInput',
    description: 'Never a float. unit minor needs currency, unit atomic needs asset.',
    override: describeAmount,
  });
export type AmountInput = z.infer<typeof AmountInput>;

const PayeeInput = z
  .strictObject({
    key: z.string().meta({
      description:
        'Stable identity: eip155:8453:0x…, solana:<genesis>:…, domain:api.example.com, iban:…, merchant:<psp>:<id>, agent:<id>, account:<scheme>:<id> ' +
        '(ach, uk, pix, upi, lightning and others). A bare IBAN or host name, and an EVM address beside an EVM asset, are read as such. Any other ' +
        'printable text is taken as it is, and compared exactly.',
      examples: ['merchant:stripe:acct_1NQ2kL', 'domain:api.example.com', 'account:ach:021000021-123456789'],
      override: { minLength: 1, maxLength: 256 },
    }),
    type: PayeeType.optional(),
    name: line(200).optional(),
    country: CountryCode.optional(),
  })
  .meta({ id: 'PayeeInput', description: 'Who is paid.' });

export const PaymentInput = z
  .strictObject({
    payment_id: visibleLine(200).meta({ description: 'The same for every event of one payment; not blank.' }),
    rail: Rail,
    status: PaymentStatus,
    amount: AmountInput,
    payee: PayeeInput,
  })
  .meta({ id: 'PaymentInput' });
export type PaymentInput = z.infer<typeof PaymentInput>;
