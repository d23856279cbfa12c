import type { FragmentSqlToken } from 'slonik';
import { holding, holdingPrice } from '#shared/events/log/holding.ts';
import { sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { SearchQuery } from './query.ts';
import { MOST } from './found.ts';

/** A payment has several events, of which the latest is returned. */
const READ = MOST * 4;

/**
 * Events by their id, payment, position in the log, amount, card (its last four digits, or its id) and order, the latest of each payment.
 * Each search walks one index of `sql/indexes.sql` from the end of the log, for up to `READ` rows.
 */
export function findEvents(query: SearchQuery, tenant: Tenant): FragmentSqlToken {
  const { org_id, environment } = tenant;
  const { id, seq, text, price_keys, last4 } = query;
  const ours = sql.fragment`e.org_id = ${org_id} and e.environment = ${environment}`;
  const latest = sql.fragment`order by e.chain_seq desc limit ${READ}`;
  const stating = (within: FragmentSqlToken, value: FragmentSqlToken, wanted: string) => sql.fragment`
    (select e.chain_seq from events e
    where ${within} and event_key(e.org_id, e.environment, ${value}) = event_key(${org_id}, ${environment}, ${wanted})
      and ${ours} and coalesce(${value} = ${wanted}, false) ${latest})`;
  const ways = [
    id?.prefix === 'evt' && sql.fragment`(select e.chain_seq from events e where ${ours} and e.id = ${id.value})`,
    seq !== null && sql.fragment`(select ${seq}::bigint)`,
    id === null &&
      sql.fragment`(select e.chain_seq from events e where ${holding('payment_id', tenant, text)} ${latest})`,
    price_keys.length > 0 &&
      sql.fragment`(select m.chain_seq from unnest(${sql.array(price_keys, 'text')}) given (key) cross join lateral (
        select e.chain_seq from events e
        where ${holdingPrice(tenant, sql.fragment`given.key`)} ${latest}) m)`,
    last4 !== null && stating(hasCard, cardLast4, last4),
    id === null && stating(hasInstrument, instrumentId, text),
    id === null && stating(hasOrder, order, text.replace(/^#/, '')),
  ].filter(way => way !== false);
  if (ways.length === 0) return nothing;
  return sql.fragment`
    select 'event' as kind, l.id, l.title, l.payment_id as detail, l.status as state, l.amount, l.chain_seq, l.occurred_at as at
    from (
      select distinct on (e.payment_id) e.id, e.payment_id, e.status, e.chain_seq, e.occurred_at,
        coalesce(e.input::jsonb #>> '{payment,payee,name}', e.input::jsonb #>> '{payment,payee,key}') as title,
        e.input::jsonb #> '{payment,amount}' as amount
      from events e
      where ${ours} and e.chain_seq in (
        select w.chain_seq from (${sql.join(ways, sql.fragment` union `)}) w (chain_seq)
        order by w.chain_seq desc limit ${READ})
      order by e.payment_id, e.chain_seq desc) l
    order by l.chain_seq desc limit ${MOST}`;
}

// The same expressions as in `sql/indexes.sql`; otherwise the indexes are not used.
const hasCard = sql.fragment`strpos(e.input, '"last4":') > 0`;
const cardLast4 = sql.fragment`(e.input::jsonb #>> '{instrument,last4}')`;
const hasInstrument = sql.fragment`strpos(e.input, '"instrument":') > 0`;
const instrumentId = sql.fragment`(e.input::jsonb #>> '{instrument,id}')`;
const hasOrder = sql.fragment`strpos(e.input, '"order') > 0`;
const order = sql.fragment`coalesce(e.input::jsonb #>> '{metadata,order_id}', e.input::jsonb #>> '{metadata,order}', e.input::jsonb #>> '{metadata,order_number}')`;

const nothing = sql.fragment`
  select 'event' as kind, null as id, null as title, null as detail, null as state, null::jsonb as amount, null::bigint as chain_seq,
    null::timestamptz as at where false`;
