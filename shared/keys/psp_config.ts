import { z } from 'zod';
import { EventType, Rail } from '#shared/values/event_types.ts';
import { line } from '#shared/values/text.ts';

const HeaderName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header, such as X-Acme-Signature')
  .meta({ examples: ['X-Acme-Signature'] });

const Pointer = z
  .string()
  .max(500)
  .regex(/^\/(?:[^~]|~[01])*$/, 'must be a JSON pointer (RFC 6901), such as /data/object/id')
  .meta({ examples: ['/data/object/id'] });

/** Where a value is found: a pointer, a pointer with the meanings of its values, or a constant for every webhook. */
const Place = <V extends z.ZodType<string>>(Value: V) =>
  z.union([
    Pointer,
    z.strictObject({
      pointer: Pointer,
      values: z
        .record(z.string().max(200), Value)
        .optional()
        .meta({ description: 'what each value means; a webhook with another one is none of these' }),
    }),
    z.strictObject({ value: Value }),
  ]);
const Text = Place(line(500));
const Amount = z.union([
  Pointer,
  z.strictObject({
    pointer: Pointer,
    as: z.enum(['minor', 'decimal']).meta({
      description: 'minor: a whole number of the smallest unit. decimal: like 12.50, in whole units of the currency',
    }),
  }),
]);

const Mapping = z
  .strictObject({
    event_id: Text.meta({ description: "the service's own id of the notice: what has the same one is a duplicate" }),
    type: Place(EventType).meta({ description: 'the type of the event; others than those in `values` are ignored' }),
    payment_id: Text,
    agent: Text.meta({ description: 'external id of the agent' }),
    owner: Text.meta({ description: 'external id of the owner' }),
    payee: Text.meta({ description: 'key of the payee, or the id of a merchant at the service' }),
    payee_name: Text,
    payee_country: Text,
    category: Text.meta({ description: 'merchant category code' }),
    rail: Place(Rail),
    amount: Amount,
    currency: Text,
    network: Text.meta({ description: 'of a token: CAIP-2 id, or an x402 v1 name' }),
    asset: Text.meta({ description: 'of a token: its address, in place of a currency' }),
    occurred_at: Text.meta({ description: 'RFC 3339, or seconds or milliseconds since 1970' }),
  })
  .partial()
  .meta({
    id: 'PspMapping',
    description:
      'where things are found in the body, or in each notification of Adyen: as JSON pointers (RFC 6901), such as /metadata/agent',
  });

const signing = ['header', 'algorithm', 'encoding', 'signed_string'] as const;

/** How a payment service signs (`generic` only), and how its webhooks are read. */
export const PspConfig = z
  .strictObject({
    header: HeaderName.optional().meta({ description: 'which header has the signature' }),
    timestamp_header: HeaderName.optional().meta({
      description: 'which has the time; found beside the signature when left out',
    }),
    id_header: HeaderName.optional(),
    algorithm: z.enum(['sha256', 'sha512', 'sha1']).optional(),
    encoding: z.enum(['hex', 'base64']).optional(),
    signed_string: z
      .string()
      .max(200)
      .regex(/\{body\}/, 'must contain {body}, which is what is signed')
      .optional()
      .meta({ description: 'template over {timestamp}, {id} and {body}', examples: ['{timestamp}.{body}'] }),
    service: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_.-]{0,31}$/, 'must be a short name in lower case, such as acme')
      .optional()
      .meta({
        description: 'what payees of the service are named by: merchant:<service>:<id>; its scheme if left out',
      }),
    mapping: Mapping.optional(),
    default_agent: line(200).optional().meta({ description: 'external id of the agent of webhooks that name none' }),
    default_owner: line(200).optional().meta({ description: 'external id of the owner of webhooks that name none' }),
  })
  .superRefine((config, context) => {
    const present = signing.filter(member => config[member] !== undefined);
    if (present.length === 0) return;
    for (const member of signing)
      if (config[member] === undefined)
        context.addIssue({ code: 'custom', path: [member], message: `is required beside ${present.join(', ')}` });
  })
  .meta({
    id: 'PspConfig',
    description:
      'how a `generic` scheme signs (header, algorithm, encoding and signed_string, together), and how webhooks of any scheme are read',
    override: {
      dependentRequired: Object.fromEntries(signing.map(member => [member, signing.filter(other => other !== member)])),
    },
  });
export type PspConfig = z.infer<typeof PspConfig>;

/** Whether a secret is hexadecimal, as those of Adyen are. */
export const isHexSecret = (secret: string): boolean => /^(?:[0-9a-f]{2})+$/i.test(secret);
