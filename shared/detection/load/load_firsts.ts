import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { CountriesPaid } from '#shared/detection/model/countries_paid.ts';
import { type History, MOST_NEW_PAYEES } from '#shared/detection/model/history.ts';
import { loadPaidPairs, Milliseconds } from '#shared/events/ranges/load.ts';
import { MOST_NAMESAKES, type Payees } from '#shared/detection/model/payees.ts';
import { counts, type DetectionEvent } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const CountryRow = z.object({ agent_id: z.string(), country: z.string(), first_seq: z.number() });

/** The countries that these agents have paid to at or before `cursor`, in order of their first payment. Changes `histories`. */
export async function loadCountries(
  db: Db,
  { org_id, environment }: Tenant,
  agent_ids: readonly string[],
  histories: ReadonlyMap<string, History>,
  cursor: number,
): Promise<void> {
  if (agent_ids.length === 0) return;
  const rows = await db.any(sql.type(CountryRow)`
    select agent_id, country, first_seq from agent_countries
    where org_id = ${org_id} and environment = ${environment} and agent_id = any(${sql.array([...agent_ids], 'text')})
      and first_seq <= ${cursor}
    order by first_seq`);
  for (const { agent_id, country, first_seq } of rows) histories.get(agent_id)?.countries.set(country, first_seq);
}

const AgentsRow = z.object({ country: z.string().nullable(), agents: z.number() });

/** How many agents have paid to each country, for a log in which that was not learned from its beginning. */
export async function loadCountriesPaid(db: Db, { org_id, environment }: Tenant): Promise<CountriesPaid> {
  const rows = await db.any(sql.type(AgentsRow)`
    select country, count(distinct agent_id)::int as agents from agent_countries
    where org_id = ${org_id} and environment = ${environment} group by grouping sets ((country), ())`);
  const by = rows.flatMap(({ country, agents }) => (country === null ? [] : [[country, agents] as const]));
  return { agents: rows.find(({ country }) => country === null)?.agents ?? 0, by: Object.fromEntries(by) };
}

/** Beyond this many an agent's known payees are looked up instead of kept. */
const MOST_PAYEES = 5_000;

/**
 * Which of the payees of these events their agents have paid before `cursor`; and for agents with a new payee, the times of their earlier
 * new payees. Changes `histories`.
 */
export async function loadPaidPayees(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  histories: ReadonlyMap<string, History>,
  cursor: number,
): Promise<void> {
  const pairs = new Map<string, { agent_id: string; payee_id: string }>();
  for (const { type, agent_id, payee_id } of events) {
    const paid = histories.get(agent_id)?.paid_payees;
    if (paid && paid.size > MOST_PAYEES) paid.clear();
    if (counts(type) && !paid?.has(payee_id)) pairs.set(`${agent_id} ${payee_id}`, { agent_id, payee_id });
  }
  if (pairs.size > 0)
    for (const { agent_id, payee_id, first_seen_at } of await loadPaidPairs(db, tenant, [...pairs.values()], cursor))
      histories.get(agent_id)?.paid_payees.set(payee_id, first_seen_at);
  // A payment that arrives later but was made before the recorded first one is the first now.
  const firsts = events.filter(
    ({ type, agent_id, payee_id, occurred_at }) =>
      counts(type) && occurred_at < (histories.get(agent_id)?.paid_payees.get(payee_id) ?? Infinity),
  );
  await loadNewPayees(db, tenant, firsts, histories, cursor);
}

const NewPayeeRow = z.object({ agent_id: z.string(), at: Milliseconds });

/** The times of the earlier new payees of agents with a new one, if not loaded yet. Changes `histories`. */
async function loadNewPayees(
  db: Db,
  { org_id, environment }: Tenant,
  newcomers: readonly { agent_id: string }[],
  histories: ReadonlyMap<string, History>,
  cursor: number,
): Promise<void> {
  const agent_ids = [...new Set(newcomers.map(({ agent_id }) => agent_id))].filter(
    agent_id => histories.get(agent_id)?.new_payees === null,
  );
  if (agent_ids.length === 0) return;
  for (const agent_id of agent_ids) {
    const history = histories.get(agent_id);
    if (history) history.new_payees = [];
  }
  const rows = await db.any(sql.type(NewPayeeRow)`
    select g.agent_id, p.first_seen_at as at
    from unnest(${sql.array(agent_ids, 'text')}) g (agent_id) cross join lateral (
      select first_seen_at from agent_payees
      where org_id = ${org_id} and environment = ${environment} and agent_id = g.agent_id and first_seq <= ${cursor}
      order by first_seen_at desc limit ${MOST_NEW_PAYEES}) p
    order by p.first_seen_at`);
  for (const { agent_id, at } of rows) histories.get(agent_id)?.new_payees?.push(at);
}

/**
 * Which of the others with a payee's name or web address, or that may come to have it within the range, the agents of these events have paid.
 * Changes `histories`.
 */
export async function loadPaidNamesakes(
  db: Db,
  tenant: Tenant,
  events: readonly DetectionEvent[],
  histories: ReadonlyMap<string, History>,
  payees: Payees,
  cursor: number,
): Promise<void> {
  const coming = comingNamesakes(payees);
  const pairs = new Map<string, { agent_id: string; payee_id: string }>();
  for (const { agent_id, payee_id } of events) {
    const namesakes = payees.states.get(payee_id)?.namesakes;
    if (!namesakes?.size) continue;
    for (const other of [...[...namesakes.values()].flat(), ...(coming.get(payee_id) ?? [])])
      pairs.set(`${agent_id} ${other.payee_id}`, { agent_id, payee_id: other.payee_id });
  }
  if (pairs.size === 0) return;
  for (const { agent_id, payee_id, first_seen_at } of await loadPaidPairs(db, tenant, [...pairs.values()], cursor))
    histories.get(agent_id)?.paid_payees.set(payee_id, first_seen_at);
}

/** The payees of a range that nobody has paid yet under an identity which others of the range lack too, by those others. */
function comingNamesakes({ states, waiting }: Payees): Map<string, { payee_id: string }[]> {
  const coming = new Map<string, { payee_id: string }[]>();
  const groups = [...waiting.values()].filter(({ size }) => size > 1 && size <= MOST_NAMESAKES);
  if (groups.length === 0) return coming;
  const idOf = new Map([...states].map(([payee_id, state]) => [state, payee_id]));
  for (const group of groups) {
    const ids = [...group].flatMap(state => idOf.get(state) ?? []);
    for (const id of ids) coming.set(id, [...(coming.get(id) ?? []), ...ids.map(payee_id => ({ payee_id }))]);
  }
  return coming;
}
