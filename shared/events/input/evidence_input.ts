import { z } from 'zod';
import { line } from '#shared/values/text.ts';
import { describeEvidence } from './event_document.ts';

/** One piece of evidence as a client sends it; its size and encoding are checked in `evidence_normalize.ts`. */
export const EvidenceInput = z
  .strictObject({
    kind: z
      .string()
      .max(64)
      .regex(
        /^[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+$/,
        'must be lower-case words joined by dots, such as x402.payment_payload',
      )
      .meta({ description: 'What it is. Kinds known to verifiers are read by them; any other dotted kind is stored.' }),
    value: z.union([z.string(), z.record(z.string(), z.unknown())], 'must be a string or an object').meta({
      description:
        'The evidence itself, at most 64 KB (65,536 bytes). An object is measured and hashed in its canonical form (RFC 8785).',
      override: {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'object', additionalProperties: true },
        ],
      },
    }),
    media_type: z
      .string()
      .max(127)
      .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;[\x20-\x7e]*)?$/, 'must be a media type such as application/json')
      .optional(),
    encoding: z.enum(['utf8', 'base64']).optional().meta({
      description: 'How a string value stands for bytes; utf8 when left out. base64 is RFC 4648 §4 with padding.',
    }),
    label: line(200).optional().meta({ description: 'A name for people.' }),
  })
  .meta({
    id: 'EvidenceInput',
    override: describeEvidence,
    description:
      'Proof that came with the payment: a signed mandate, a payment payload, a webhook. Full card numbers are refused in kinds of acp, psp and card.',
  });
export type EvidenceInput = z.infer<typeof EvidenceInput>;

export const MAX_EVIDENCE_ITEMS = 16;
export const MAX_EVIDENCE_BYTES = 65_536;
