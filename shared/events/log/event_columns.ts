import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '#shared/values/at_most.ts';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { fold } from '#shared/values/fold.ts';
import type { NormalizedEvent } from '#shared/events/input/event_normalize.ts';

/** The parts of an event that its columns read: its normal form and its price. */
export type ColumnSource = Pick<
  NormalizedEvent,
  | 'type'
  | 'occurred_at'
  | 'payment_id'
  | 'rail'
  | 'status'
  | 'amount_value'
  | 'amount_denomination'
  | 'payee'
  | 'usd_micro'
  | 'usd_minor'
  | 'mandate_id'
  | 'resource_url'
  | 'tool_name'
  | 'tool_call_id'
  | 'run_id'
  | 'attempt'
> & { evidence_count: number; signed: boolean };

/**
 * A column: its type in the database, its schema when read (bytes in hex), and its value for an event; and the value that earlier versions gave it,
 * where that may differ.
 */
const column = <Row extends z.ZodType>(
  type: ColumnType,
  row: Row,
  value: (event: ColumnSource) => z.output<Row>,
  former = value,
) => ({ type, row, value, former });
export type ColumnType = 'text' | 'timestamptz' | 'numeric' | 'int2' | 'int4' | 'bool' | 'bytea' | 'jsonb';

const text = z.string();
const optional = text.nullable();

/**
 * The columns of `events` that follow from what was reported. Keys are the first 8 bytes of a SHA-256. Storing an event, reading it and
 * verifying it later all use this table, so that a recomputed column equals the stored one.
 */
const reportedColumns = {
  type: column('text', text, event => event.type),
  occurred_at: column('timestamptz', text, event => event.occurred_at),
  payment_id: column('text', text, event => event.payment_id),
  rail: column('text', text, event => event.rail),
  status: column('text', text, event => event.status),
  amount_usd_micro: column('numeric', optional, event => event.usd_micro),
  amount_usd_minor: column('numeric', optional, event => event.usd_minor),
  mandate_id: column('text', optional, event => event.mandate_id),
  evidence_count: column('int2', z.number(), event => event.evidence_count),
  signed: column('bool', z.boolean(), event => event.signed),
  price_key: column('bytea', text, event => shortHash(`${event.amount_value} ${event.amount_denomination}`)),
  resource_key: column('bytea', optional, event => keyOf(event.resource_url)),
  tool_key: column('bytea', optional, event => keyOf(event.tool_name)),
  tool_call_key: column(
    'bytea',
    optional,
    event => keyOf(callOf(event)),
    event => keyOf(event.tool_call_id),
  ),
  attempt: column('int4', z.number().nullable(), event => event.attempt),
  payee_country: column('text', optional, event => event.payee.country),
  payee_name_key: column('bytea', optional, event => remembered(nameKeys, event.payee.name, name => keyOf(fold(name)))),
  domain_key: column('bytea', optional, event =>
    remembered(hostKeys, originOf(event.resource_url), origin => keyOf(hostOf(origin))),
  ),
};
type Columns = typeof reportedColumns;

export const reportedColumnList = Object.entries(reportedColumns).map(([name, column]) => ({
  name: name as keyof Columns,
  ...column,
}));

/** The columns above as they are read. */
export const ReportedColumns = z.object(
  Object.fromEntries(reportedColumnList.map(({ name, row }) => [name, row])) as {
    [Name in keyof Columns]: Columns[Name]['row'];
  },
);

/** A list of columns of `events` for a `select`, bytes in hex; `table` is what the statement calls it. */
export const selectedColumns = (names: readonly string[], table = 'events') =>
  sql.join(
    names.map(name => {
      const value = sql.identifier([table, name]);
      const isBytes = name in reportedColumns && reportedColumns[name as keyof Columns].type === 'bytea';
      return isBytes ? sql.fragment`encode(${value}, 'hex') as ${sql.identifier([name])}` : value;
    }),
    sql.fragment`, `,
  );

/**
 * What tells a tool call from others: its id, and of one that only counts the calls of a run, such as `call_0`, the run too. Null where an event names no
 * call.
 */
export const callOf = ({ tool_call_id, run_id }: Pick<ColumnSource, 'tool_call_id' | 'run_id'>): string | null =>
  tool_call_id !== null && run_id !== null && counter.test(tool_call_id) ? `${run_id} ${tool_call_id}` : tool_call_id;

const counter = /^(?:functions\.[\w.-]{1,64}:|(?:tool[_-]?)?call[_:-]?|tool[_:-]?|step[_:-]?|#)?\d{1,3}$/i;

/** The first 8 bytes of a SHA-256, in hex: enough to tell values apart in an index. */
const shortHash = (text: string) => hash('sha256', text).slice(0, 16);

const keyOf = (text: string | null) => (text ? shortHash(text) : null);

/** A URL up to its path, from which the host follows. */
const originOf = (resource_url: string | null) =>
  resource_url && (/^[^/?#]*\/\/[^/?#]*/.exec(resource_url)?.[0] ?? null);

/** The host of a resource; null if the URL has none. */
const hostOf = (origin: string) => URL.parse(origin)?.hostname ?? null;

// Names and hosts recur; computing their keys each time took a tenth of the time of an event.
const nameKeys = new LRUCache<string, { key: string | null }>(atMost(10_000));
const hostKeys = new LRUCache<string, { key: string | null }>(atMost(10_000));

function remembered(cache: typeof nameKeys, text: string | null, make: (text: string) => string | null): string | null {
  if (!text) return null;
  const cached = cache.get(text);
  if (cached) return cached.key;
  const key = make(text);
  cache.set(text, { key });
  return key;
}
