import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { Amount } from '#shared/events/log/events.ts';
import { Timestamp } from '#shared/interface/schemas.ts';

/** The kinds of records that are searched, in the order of the answer. */
export const searchKinds = [
  'event',
  'incident',
  'alert',
  'case',
  'agent',
  'payee',
  'owner',
  'mandate',
  'screening',
  'pack',
  'source',
  'api_key',
  'trusted_key',
  'webhook_endpoint',
  'webhook_delivery',
  'backtest',
  'export',
  'member',
] as const;
export const SearchKind = z.enum(searchKinds).meta({ id: 'SearchKind' });
export type SearchKind = z.infer<typeof SearchKind>;

export const Found = z
  .object({
    id: z.string().meta({ description: 'the id of the record', examples: ['agt_01ARZ3NDEKTSV4RRFFQ69G5FAV'] }),
    title: z.string().meta({ description: 'what people call it', examples: ['Travel agent'] }),
    detail: z.string().nullable().meta({
      description: 'what tells it apart: of an event its payment, of a payee its key, of an agent its external id',
    }),
    state: z
      .string()
      .nullable()
      .meta({ description: 'its state, status or role; null where it has none, or the caller may not see it' }),
    amount: Amount.nullable().meta({ description: 'of an event: what was paid' }),
    chain_seq: z.int().nullable().meta({ description: 'of an event: its position in the log' }),
    at: Timestamp.nullable().meta({ description: 'when it was made or first seen; of an event, when it occurred' }),
  })
  .meta({ id: 'Found' });
export type Found = z.infer<typeof Found>;

/** The most results of one kind. */
export const MOST = 5;

/** A row of any kind: every query selects its columns in this order. */
export const FoundRow = Found.extend({ kind: SearchKind });

/** For every other kind, the columns that only events have. */
export const noEvent = sql.fragment`null::jsonb as amount, null::bigint as chain_seq`;
