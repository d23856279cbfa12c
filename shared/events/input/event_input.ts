import { z } from 'zod';
import { EventType } from '#shared/values/event_types.ts';
import { prefixedUlid } from '#shared/interface/prefixed_ulid.ts';
import { line, lines, visibleLine } from '#shared/values/text.ts';
import { describeEvent } from './event_document.ts';
import { EvidenceInput, MAX_EVIDENCE_ITEMS } from './evidence_input.ts';
import { CountryCode, PaymentInput } from './payment_input.ts';

const AgentInput = z
  .strictObject({
    external_id: visibleLine(200).meta({
      description: "Your own id of the agent, not blank; the service's id is derived from it at first sight.",
    }),
    name: line(200).optional(),
    framework: line(200).optional(),
    model: line(200).optional(),
  })
  .meta({ id: 'AgentInput', description: 'The agent, by your own id.' });

const OwnerInput = z
  .strictObject({
    external_id: visibleLine(200).meta({
      description: 'Your own id, not blank, of the person or company the agent acts for.',
    }),
    name: line(200).optional(),
    country: CountryCode.optional(),
  })
  .meta({ id: 'OwnerInput', description: 'Whom the agent acts for, by your own id.' });

const InstrumentInput = z
  .strictObject({
    type: line(64).optional(),
    id: line(200).optional().meta({ description: 'Token or reference at the payment service; never a card number.' }),
    last4: z
      .string()
      .regex(/^[0-9]{4}$/, 'must be the last four digits')
      .optional(),
  })
  .meta({ id: 'InstrumentInput', description: 'What was paid with.' });

const FailureInput = z
  .strictObject({ code: line(100).optional(), message: lines(1000).optional() })
  .meta({ id: 'FailureInput', description: 'Why it failed.' });

const ContextInput = z
  .strictObject({
    run_id: line(200).optional(),
    conversation_id: line(200).optional(),
    tool_name: line(200).optional(),
    tool_call_id: line(200).optional().meta({
      description:
        'Two payments for one tool call look like a double payment. An id that only counts the calls of a run, such as `call_0`, stands for a call of that `run_id`.',
    }),
    trace_id: line(200).optional(),
    parent_event_id: prefixedUlid('evt').optional(),
    attempt: z.int().min(0).max(1_000_000).optional().meta({ description: 'Counts retries of the same step.' }),
    human_present: z.boolean().optional().meta({ description: 'Whether a person confirmed this payment.' }),
  })
  .meta({ id: 'ContextInput', description: 'What the agent was doing.' });

/** An event as a client sends it. Rules beyond a schema — time window, pairs, checksums — are in `event_normalize.ts`. */
export const EventInput = z
  .strictObject({
    id: prefixedUlid('evt').meta({
      description: 'Made by the client; the idempotency key. The same id with the same content is a duplicate.',
    }),
    type: EventType,
    occurred_at: z.string().max(64).meta({
      format: 'date-time',
      description:
        'RFC 3339 with any offset, kept as UTC milliseconds; at most 5 minutes ahead and EVENT_MAX_AGE_DAYS old.',
    }),
    source_id: prefixedUlid('src')
      .optional()
      .meta({ description: "A registered source; the key's default source when left out." }),
    agent_id: prefixedUlid('agt', '; an id of your own goes into agent.external_id')
      .optional()
      .meta({ description: 'Made by the client, registered at first sight. Either this or agent.' }),
    agent: AgentInput.optional(),
    owner_id: prefixedUlid('own', '; an id of your own goes into owner.external_id')
      .optional()
      .meta({ description: 'Registered at first sight. Either this or owner.' }),
    owner: OwnerInput.optional(),
    payment: PaymentInput,
    mandate_id: prefixedUlid('mnd')
      .optional()
      .meta({ description: "The mandate to judge by; the agent's active mandates when left out." }),
    evidence: z.array(EvidenceInput).max(MAX_EVIDENCE_ITEMS).optional(),
    signature: z
      .string()
      .max(4096)
      .regex(/^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+$/, 'must be a detached JWS: <header>..<signature>')
      .optional()
      .meta({
        description:
          'Detached JWS (RFC 7515 appendix F) over the canonical form (RFC 8785) of the event without this member.',
      }),
    description: lines(1000).optional(),
    resource_url: line(2048)
      .optional()
      .meta({
        override: { format: 'uri', pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^ ]+$' },
        examples: ['https://api.example.com/v1/weather?city=Berlin'],
        description:
          'What was paid for: an absolute URL, such as https://api.example.com/v1/weather or mcp://server/tool.',
      }),
    category: z
      .string()
      .regex(/^[0-9]{4}$/, 'must be a merchant category code: four digits (ISO 18245)')
      .optional()
      .meta({ description: 'Merchant category code (ISO 18245), four digits.' }),
    instrument: InstrumentInput.optional(),
    failure: FailureInput.optional(),
    context: ContextInput.optional(),
    metadata: z
      .record(z.string().min(1).max(100), z.unknown())
      .optional()
      .meta({
        description: 'Your own data: at most 50 members and 16 KB (16,384 bytes).',
        override: { maxProperties: 50 },
      }),
  })
  .meta({
    id: 'EventInput',
    description: 'A report on a payment made by a software agent. Unknown members are refused.',
    override: describeEvent,
    examples: [
      {
        id: 'evt_01KADG3M5QJ8V2X4Z6B7C9D0EF',
        type: 'payment.settled',
        occurred_at: '2026-11-20T10:15:30.000Z',
        agent: {
          external_id: 'research-agent-7',
          name: 'Research agent',
          framework: 'langgraph',
          model: 'claude-sonnet-4-5',
        },
        owner: { external_id: 'acct_4711', name: 'Müller Logistics GmbH', country: 'DE' },
        payment: {
          payment_id: 'pay_8f14e45f',
          rail: 'x402',
          status: 'settled',
          amount: {
            value: '1000',
            unit: 'atomic',
            asset: {
              network: 'eip155:8453',
              address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
              symbol: 'USDC',
              decimals: 6,
            },
          },
          payee: {
            key: 'eip155:8453:0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
            type: 'merchant',
            name: 'Weather API',
            country: 'US',
          },
        },
        resource_url: 'https://api.example.com/v1/weather?city=Berlin',
        evidence: [
          {
            kind: 'onchain.transaction',
            value: {
              network: 'eip155:8453',
              hash: '0x89c91c789e57059b17285e7ba1716a1f5ff4c5dace0ea5a5135f26158d0421b9',
            },
          },
        ],
        context: {
          run_id: 'run_42',
          tool_name: 'get_weather',
          tool_call_id: 'call_1',
          attempt: 1,
          human_present: false,
        },
        metadata: { project: 'forecast' },
      },
    ],
  });
export type EventInput = z.infer<typeof EventInput>;
