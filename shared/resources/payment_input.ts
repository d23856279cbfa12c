import { z } from 'zod';
import { AmountUnit, PayeeType, PaymentStatus, Rail } from '#shared/event_types.ts';
import { line } from '#shared/text.ts';

export const CountryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 alpha-2 code in upper case, such as DE')
  .meta({ description: 'ISO 3166-1 alpha-2 country code, upper case.' });

const AssetInput = z.strictObject({
  network: line(41).meta({
    description: 'CAIP-2 chain id such as eip155:8453; x402 v1 names such as base are mapped to it.',
  }),
  address: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[!-~]+$/, 'must be printable ASCII without spaces')
    .meta({
      description:
        'Token contract or mint. EVM addresses in any case; the EIP-55 checksum must be right in mixed case.',
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
        'must be a whole number in decimal digits, without sign, point or leading zero',
      )
      .meta({ description: 'Decimal integer in minor or atomic units, at most 2^256−1.' }),
    unit: AmountUnit,
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code in upper case, such as USD')
      .optional()
      .meta({ description: 'ISO 4217 code; with unit minor only.' }),
    asset: AssetInput.optional().meta({ description: 'The token; with unit atomic only.' }),
  })
  .meta({ id: 'AmountInput', description: 'Never a float. unit minor needs currency, unit atomic needs asset.' });
export type AmountInput = z.infer<typeof AmountInput>;

const PayeeInput = z
  .strictObject({
    key: z.string().min(1).max(255).meta({
      description:
        'Stable identity: eip155:8453:0x…, solana:<genesis>:…, domain:api.example.com, iban:…, merchant:<psp>:<id> or agent:<id>.',
    }),
    type: PayeeType.optional(),
    name: line(200).optional(),
    country: CountryCode.optional(),
  })
  .meta({ id: 'PayeeInput', description: 'Who is paid.' });

export const PaymentInput = z
  .strictObject({
    payment_id: line(200).meta({ description: 'The same for every event of one payment.' }),
    rail: Rail,
    status: PaymentStatus,
    amount: AmountInput,
    payee: PayeeInput,
  })
  .meta({ id: 'PaymentInput' });
export type PaymentInput = z.infer<typeof PaymentInput>;
