import test from 'ava';
import { z } from 'zod';
import { createRandom } from '#bin/demo/random.ts';
import { positionsWithin } from '#shared/events/log/event_steps.ts';
import { listEvents } from '#shared/events/log/events.ts';
import type { EventFilters } from '#shared/events/log/event_filters.ts';
import { pageRequest } from '#shared/interface/page.ts';
import { sql } from '#shared/platform/db.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world, type World } from '#test/helpers/world.ts';
import { flow } from '#test/shared/assessment/flow.ts';

type Listed = { data: { id: string }[]; next_cursor: string | null };

/** All ids of a list, page by page. */
async function idsOf({ as }: Pick<World, 'as'>, query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  do {
    const { body }: { body: Listed } = await as.get(`/v1/events?${query}${cursor}`);
    ids.push(...body.data.map(({ id }) => id));
    cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : '';
  } while (cursor);
  return ids;
}

test('lists by amounts, types and times hold the same events, whatever is known of the stretches of the log', async t => {
  const w = await world(t);
  const { db, tenant } = w;
  const now = Date.now();
  const random = createRandom(process.env['TEST_SEED'] ?? 1);
  const made = Array.from({ length: 5_000 }, (_, index) => {
    const type = random.pick([
      'payment.settled',
      'payment.settled',
      'payment.settled',
      'payment.failed',
      'payment.refunded',
    ]);
    // Stretches differ in what amounts they have, and some events of the first have no price yet.
    const most = index % 4_000 < 1_000 ? 500_000 : 9_000;
    const cents = random.int(1, most);
    const currency = index < 1_000 && random.chance(0.1) ? 'KPW' : 'USD';
    const at = now - DAY + index * 1_000 - (random.chance(0.05) ? 40 * DAY : 0);
    const options = {
      at,
      type,
      rail: random.pick(['card', 'x402', 'ach']),
      agent: random.pick(['agent-1', 'agent-2']),
      currency,
    };
    return { ...options, cents, sent: event({ ...options, cents: String(cents) }) };
  });
  for (let from = 0; from < made.length; from += 500) {
    const events = made.slice(from, from + 500).map(({ sent }) => sent);
    t.is((await w.as.post('/v1/events', { events })).body.accepted, events.length);
  }
  const [agent] = (await w.as.get('/v1/agents?q=agent-2')).body.data;
  const Wrong = z.object({ wrong: z.number() });
  const { wrong } = await db.one(sql.type(Wrong)`
    with told as (
      select chain_seq / 2048 as block, case when bool_or(amount_usd_micro is null) then '-infinity' else min(amount_usd_micro) end as smallest,
        case when bool_or(amount_usd_micro is null) then 'infinity' else max(amount_usd_micro) end as largest
      from events
      where org_id = ${tenant.org_id} and environment = ${tenant.environment} group by 1
    )
    select count(*)::int as wrong from told full join (
      select * from event_blocks where org_id = ${tenant.org_id} and environment = ${tenant.environment}
    ) b using (block) where (told.smallest, told.largest) is distinct from (b.smallest, b.largest)`);
  t.is(wrong, 0);

  const cases = Array.from({ length: 8 }, () => {
    const least = random.pick([0, 5, 91, 4_000, 4_990]) || undefined;
    const most = random.pick([0, 0.5, 90, 4_500]) || undefined;
    const type = random.pick(['', 'payment.failed', 'payment.refunded']) || undefined;
    const rail = random.pick(['', 'card']) || undefined;
    const from = random.pick([0, now - 30 * DAY, now - 23 * HOUR]) || undefined;
    const to = random.pick([0, now - 30 * DAY, now - 23 * HOUR]) || undefined;
    const is_agents = random.pick([false, false, true]);
    const follows = random.pick([false, true]);
    const expected = made.filter(
      each =>
        (least === undefined || (each.currency === 'USD' && each.cents >= least * 100)) &&
        (most === undefined || (each.currency === 'USD' && each.cents <= most * 100)) &&
        [each.type, undefined].includes(type) &&
        [each.rail, undefined].includes(rail) &&
        each.at >= (from ?? 0) &&
        each.at < (to ?? now) &&
        (!is_agents || each.agent === 'agent-2'),
    );
    const iso = (at: number | undefined) => at && new Date(at).toISOString();
    const filters = { amount_min: least, amount_max: most, type, rail, from: iso(from), to: iso(to) };
    const all = {
      limit: 200,
      ...filters,
      agent_id: is_agents ? agent.id : undefined,
      after_seq: follows ? 0 : undefined,
    };
    const query = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
    const ids = expected.map(({ sent }) => sent.id);
    return { query: query.join('&'), ids: follows ? ids : ids.toReversed() };
  });
  for (const { query, ids } of cases) t.deepEqual(await idsOf(w, query), ids, query);
  await db.query(sql.unsafe`
    update event_blocks set smallest = null, largest = null
    where org_id = ${tenant.org_id} and environment = ${tenant.environment} and block <> 1`);
  for (const { query, ids } of cases) t.deepEqual(await idsOf(w, query), ids, `${query}, before they are noted`);
});

test('for an amount that few events have, only the stretches of the log that hold one are looked through, and those of a type by its index', async t => {
  // One event in a thousand occurred long ago.
  const w = await flow(t, { own_database: true });
  await w.send([w.pay({ cents: '1000' })]);
  await w.asOwner(`
    insert into events select (jsonb_populate_record(e, jsonb_build_object('chain_seq', n, 'id', 'evt_' || lpad(n::text, 26, '0'),
        'occurred_at', case when n % 1000 = 7 then now() - interval '60 days' else now() end,
        'type', 'payment.' || s.status, 'status', s.status, 'amount_usd_micro', case when n = 5000 then 9e9 else n * 1000 end))).*
      from events e, generate_series(2, 14000) n
      cross join lateral (select case n % 50 when 1 then 'refunded' when 2 then 'failed' else 'settled' end as status) s where e.chain_seq = 1;
    analyze events; analyze event_blocks`);
  const look = async (filters: EventFilters) => {
    let count = 0;
    const one = async (query: Parameters<typeof w.db.one>[0]) => {
      const looked = await w.db.one(query);
      count += (looked as { count: number }).count;
      return looked;
    };
    const { positions, end } = await positionsWithin({ ...w.db, one } as typeof w.db, w.tenant, filters, null, 51);
    const found = await w.db.anyFirst(sql.type(z.object({ chain_seq: z.int() }))`${positions}`);
    return { found, end, count };
  };
  t.deepEqual(await look({ amount_min: '9000.01' }), { found: [], end: null, count: 0 });
  const { count, ...rest } = await look({ amount_min: '9000' });
  t.deepEqual(rest, { found: [5_000], end: null });
  t.true(count <= 3 * 2_048, `${count} looked at`);
  t.deepEqual(await look({ amount_min: '9000', type: 'payment.failed', after_seq: 6_144 }), {
    found: [],
    end: null,
    count: 0,
  });
  const crowded = await look({ amount_min: '1', amount_max: '20', to: new Date(0).toISOString() });
  t.deepEqual(crowded, { found: [], end: null, count: 0 });
  const { count: most, end } = await look({ amount_min: '1', to: new Date(Date.now() - 50 * DAY).toISOString() });
  t.is(most, 10_500, 'a page ends its search');
  t.is(end, '3501');

  const plans: string[] = [];
  const explain = {
    ...w.db,
    any: async (query: Parameters<typeof w.db.any>[0]) => {
      const explained = { ...query, sql: `explain (format json, costs off) ${query.sql}` };
      const rows = await w.db.any({ ...explained, parser: z.looseObject({ 'QUERY PLAN': z.unknown() }) });
      plans.push(JSON.stringify(rows));
      return [];
    },
  };
  const page = pageRequest(w.config.secret_key, 'events', w.tenant, { limit: 50 });
  for (const type of ['payment.refunded', 'payment.failed'] as const)
    await listEvents(
      explain as unknown as typeof w.db,
      w.tenant,
      { type, to: new Date(Date.now() - 50 * DAY).toISOString() },
      page,
    );
  t.regex(plans.join(), /events_key_rail_status/);
  t.notRegex(plans.join(), /events_by_agent_time|Seq Scan/);
});
