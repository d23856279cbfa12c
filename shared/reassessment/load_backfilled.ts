import { z } from 'zod';
import { loadHours } from '#shared/detection/load/load_activity.ts';
import { createDetectionCache, type DetectionCache } from '#shared/detection/load/detection_cache.ts';
import { emptyHistory, type History, MOST_NEW_PAYEES } from '#shared/detection/model/history.ts';
import type { AgentPass, Pass } from '#shared/events/ranges/backfills.ts';
import { type LoggedEvent, Milliseconds, readEvents } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';

/** Events judged in one transaction, with those before them. Live detection of the log waits for it. */
const MOST_EVENTS = 5_000;
/** Events of an agent that are read of the time before what is judged: its record is the payments among them. */
const MOST_BEFORE = 1_000;
/** What follows the last late event for so long is judged, too: it was told without what came before it. */
const AFTER = 2 * DAY;

/** A part of a pass: what the agent did from when on is at hand, whether that is all it ever did until then, and what is left of the pass (null: nothing). */
export type Part = AgentPass & { since: number; is_all: boolean; rest: Pass | null };

export type Backfilled = {
  parts: Part[];
  /** In the order in which they occurred. */
  events: LoggedEvent[];
  /** What the agents' record was before all of that. */
  cache: DetectionCache;
};

const Places = z.object({ agent_id: z.string(), before: z.array(z.int()), seqs: z.array(z.int()) });

/** The next events that passes are to judge, with those before them, of as many agents as may be judged at once. */
export async function loadBackfilled(
  tx: Db,
  tenant: Tenant,
  due: readonly AgentPass[],
  seq: number,
): Promise<Backfilled> {
  const here = sql.fragment`e.org_id = ${tenant.org_id} and e.environment = ${tenant.environment} and e.agent_id = a.agent_id and e.chain_seq <= ${seq}`;
  const rows = due.map(({ agent_id, pass: { from_at, after_seq, until_at } }) => ({
    agent_id,
    from_at: timestamp(from_at),
    after_seq,
    until_at: timestamp(until_at + AFTER),
  }));
  const places = await tx.any(sql.type(Places)`
    select a.agent_id, array(
      select e.chain_seq from events e where ${here} and (e.occurred_at, e.chain_seq) <= (a.from_at, a.after_seq)
      order by e.occurred_at desc, e.chain_seq desc limit ${MOST_BEFORE}) as before, array(
      select e.chain_seq from events e where ${here} and (e.occurred_at, e.chain_seq) > (a.from_at, a.after_seq) and e.occurred_at < a.until_at
      order by e.occurred_at, e.chain_seq limit ${MOST_EVENTS - MOST_BEFORE}) as seqs
    from ${tableOf('a', rows, { agent_id: 'text', from_at: 'timestamptz', after_seq: 'int8', until_at: 'timestamptz' })}`);
  const placesOf = new Map(places.map(each => [each.agent_id, each]));
  let room = MOST_EVENTS;
  const taken = due.flatMap(due_pass => {
    const { before = [], seqs = [] } = placesOf.get(due_pass.agent_id) ?? {};
    if (before.length + seqs.length > room) return [];
    room -= before.length + seqs.length;
    return [{ ...due_pass, before, seqs }];
  });
  const read = await readEvents(
    tx,
    tenant,
    taken.flatMap(({ before, seqs }) => [...before, ...seqs]),
  );
  const events = read.toSorted((a, b) => a.occurred_at - b.occurred_at || a.chain_seq - b.chain_seq);
  const timeOf = new Map(events.map(({ chain_seq, occurred_at }) => [chain_seq, occurred_at]));
  const parts = taken.map(({ before, seqs, ...of_agent }): Part => {
    const { pass } = of_agent;
    const after_seq = seqs.at(-1) ?? 0;
    const [first, last] = [timeOf.get(before.at(-1) ?? seqs[0] ?? 0), timeOf.get(after_seq)];
    const is_last = seqs.length < MOST_EVENTS - MOST_BEFORE || last === undefined;
    return {
      ...of_agent,
      since: first ?? pass.from_at,
      is_all: before.length < MOST_BEFORE,
      rest: is_last ? null : { ...pass, from_at: last, after_seq },
    };
  });
  return { parts, events, cache: await cacheOf(tx, tenant, parts, events) };
}

/** The agents as they were before what is at hand of them. */
async function cacheOf(
  tx: Db,
  tenant: Tenant,
  parts: readonly Part[],
  events: readonly LoggedEvent[],
): Promise<DetectionCache> {
  const cache = createDetectionCache();
  cache.startAt(tenant, { seq: 0, repriced: 0 });
  const histories = new Map(
    parts.map(({ agent_id, since, is_all }) => [agent_id, historyFrom(is_all ? -Infinity : since)]),
  );
  await fillFirsts(tx, tenant, parts, histories, events);
  const wanted = parts.map(({ agent_id, since }) => ({ agent_id, earliest: since }));
  const hours = wanted.length > 0 ? await loadHours(tx, tenant, wanted) : new Map<string, never[]>();
  for (const { agent_id, since } of parts) {
    const history = histories.get(agent_id);
    if (history) history.hours = (hours.get(agent_id) ?? []).filter(({ hour }) => hour <= since - HOUR);
  }
  for (const [agent_id, history] of histories) cache.histories.set(tenant, agent_id, history);
  return cache;
}

/** An empty record that is kept in full from now on. */
const historyFrom = (complete_from: number): History => ({
  ...emptyHistory(),
  complete_from,
  hours: [],
  minutes: new Map(),
  minutes_within: [{ from: -Infinity, to: Infinity }],
  new_payees: [],
});

const First = z.object({ agent_id: z.string(), name: z.string(), at: Milliseconds });

/** Whom the agents paid, and in which countries, before what is at hand. Changes `histories`. */
async function fillFirsts(
  tx: Db,
  { org_id, environment }: Tenant,
  agents: readonly Part[],
  histories: ReadonlyMap<string, History>,
  events: readonly LoggedEvent[],
): Promise<void> {
  if (agents.length === 0) return;
  const rows = agents.map(({ agent_id, since }) => ({ agent_id, since: timestamp(since) }));
  const asked = tableOf('a', rows, { agent_id: 'text', since: 'timestamptz' });
  const payees = await tx.any(sql.type(First)`
    select a.agent_id, p.payee_id as name, p.first_seen_at as at from ${asked} cross join lateral (
      select payee_id, first_seen_at from agent_payees
      where org_id = ${org_id} and environment = ${environment} and agent_id = a.agent_id and first_seen_at < a.since
      order by first_seen_at desc limit ${MOST_NEW_PAYEES}) p
    order by p.first_seen_at`);
  for (const { agent_id, name, at } of payees) {
    const history = histories.get(agent_id);
    history?.new_payees?.push(at);
    history?.paid_payees.set(name, at);
  }
  const pairs = [
    ...new Map(
      events
        .filter(({ agent_id, payee_id }) => histories.get(agent_id)?.paid_payees.has(payee_id) === false)
        .map(({ agent_id, payee_id }) => [`${agent_id} ${payee_id}`, { agent_id, payee_id }]),
    ).values(),
  ];
  const further =
    pairs.length === 0
      ? []
      : await tx.any(sql.type(First)`
          select p.agent_id, p.payee_id as name, p.first_seen_at as at
          from ${tableOf('g', pairs, { agent_id: 'text', payee_id: 'text' })}
          join agent_payees p on p.org_id = ${org_id} and p.environment = ${environment} and p.agent_id = g.agent_id and p.payee_id = g.payee_id
          join ${asked} on a.agent_id = p.agent_id and p.first_seen_at < a.since`);
  for (const { agent_id, name, at } of further) histories.get(agent_id)?.paid_payees.set(name, at);
  const countries = await tx.any(sql.type(First)`
    select a.agent_id, c.country as name, c.first_seen_at as at from ${asked}
    join agent_countries c on c.org_id = ${org_id} and c.environment = ${environment} and c.agent_id = a.agent_id and c.first_seen_at < a.since`);
  for (const { agent_id, name } of countries) histories.get(agent_id)?.countries.set(name, 0);
}
