import type { EventInput } from './event_input.ts';

/** The columns of an event derived from its erased values: hashes, in hex. */
export const hashColumns = ['resource_key', 'tool_key', 'tool_call_key', 'domain_key', 'payee_name_key'] as const;
type HashColumns = Partial<Record<(typeof hashColumns)[number], string | null>>;

/** What an emptied event has beside its remaining input: those columns, and whether it was signed. */
type Erased = { columns: Partial<Record<keyof HashColumns, string>>; signed: boolean };

/** The normal form of an event, emptied or not. */
export type StoredInput = EventInput & { erased?: Erased };

/** The stored parts of an event that emptying it reads. */
export type Emptied = { agent_id: string; owner_id: string; payee_id: string; signed: boolean } & HashColumns;

/** The parties that an event names only by the service's ids. */
export type Unnamed = { agent: boolean; owner: boolean; payee: boolean };

/** The key of a payee whose own key was erased. */
export const erasedKey = (payee_id: string): string => `erased:${payee_id}`;

/** Whether only the service assigns such a key. */
export const isErasedKey = (key: string): boolean => /^erased:/i.test(key);

/**
 * The normal form of an emptied event: kind and status of the payment, when, how much, from and to whom by the service's ids, and the
 * hashes of its evidence. Emptying it again in the same way changes nothing.
 */
export function emptiedInput(normal: StoredInput, row: Emptied, unnamed: Unnamed): StoredInput {
  const { id, type, occurred_at, source_id, mandate_id, category, instrument, context, evidence } = normal;
  const { payment_id, rail, status, amount, payee } = normal.payment;
  const entryOf = (column: keyof HashColumns) =>
    row[column] && !(column === 'payee_name_key' && unnamed.payee) ? [[column, row[column]] as const] : [];
  return withoutUndefined({
    id,
    type,
    occurred_at,
    source_id,
    ...(unnamed.agent ? { agent_id: row.agent_id } : { agent: normal.agent, agent_id: normal.agent_id }),
    ...(unnamed.owner ? { owner_id: row.owner_id } : { owner: normal.owner, owner_id: normal.owner_id }),
    payment: {
      payment_id,
      rail,
      status,
      amount,
      payee: unnamed.payee
        ? withoutUndefined({ key: erasedKey(row.payee_id), type: payee.type, country: payee.country })
        : payee,
    },
    mandate_id,
    category,
    instrument: instrument?.type === undefined ? undefined : { type: instrument.type },
    context:
      context?.attempt === undefined && context?.human_present === undefined
        ? undefined
        : withoutUndefined({ attempt: context.attempt, human_present: context.human_present }),
    evidence: evidence?.map(({ kind, media_type, encoding, value }) =>
      withoutUndefined({ kind, media_type, encoding, value }),
    ),
    erased: { columns: Object.fromEntries(hashColumns.flatMap(entryOf)), signed: row.signed },
  }) as StoredInput;
}

const withoutUndefined = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
