import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const DAY = 86_400_000;
type Listed = { data: { id: string }[]; next_cursor: string | null };

test('lists of some days hold the events of those days, newest first by arrival, in whatever order they came', async t => {
  const { as, db, tenant } = await world(t);
  const start = Date.now() - 100 * DAY;
  const orders: ((index: number) => number)[] = [
    index => index,
    index => 2_499 - index,
    index => (index * 7_919) % 2_500,
  ];
  const sent: { id: string; at: number; agent: string }[] = [];
  for (const order of orders)
    for (let from = 0; from < 2_500; from += 500) {
      const events = Array.from({ length: 500 }, (_, index) => {
        const at = start + order(from + index) * 3_000_000;
        const agent = `agent-${index % 7}`;
        const made = event({ at, agent });
        sent.push({ id: made.id, at, agent });
        return made;
      });
      t.is((await as.post('/v1/events', { events })).body.accepted, 500);
    }
  const list = async (query: string) => {
    const ids: string[] = [];
    let cursor = '';
    do {
      const { body }: { body: Listed } = await as.get(`/v1/events?limit=100${query}${cursor}`);
      ids.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : '';
    } while (cursor);
    return ids;
  };
  const iso = (at: number) => new Date(at).toISOString();
  const [agent] = (await as.get('/v1/agents?q=agent-3')).body.data;
  for (const [from, to] of [
    [start + 10 * DAY, start + 12 * DAY],
    [start - DAY, start + 3_000_000],
    [start + 86 * DAY, start + 99 * DAY],
    [start - 9 * DAY, start],
    [start + 99 * DAY, start + 100 * DAY],
  ] as const) {
    const expected = sent.filter(({ at }) => at >= from && at < to).toReversed();
    t.deepEqual(
      await list(`&from=${iso(from)}&to=${iso(to)}`),
      expected.map(({ id }) => id),
    );
    t.deepEqual(
      await list(`&agent_id=${agent.id}&from=${iso(from)}&to=${iso(to)}`),
      expected.filter(each => each.agent === 'agent-3').map(({ id }) => id),
    );
  }
  const { wrong } = await db.one(sql.type(z.object({ wrong: z.number() }))`
    with told as (
      select chain_seq / 2048 as block, min(occurred_at) as earliest, max(occurred_at) as latest from events
      where org_id = ${tenant.org_id} and environment = ${tenant.environment} group by 1
    )
    select count(*)::int as wrong from told full join (
      select * from event_blocks where org_id = ${tenant.org_id} and environment = ${tenant.environment}
    ) b using (block) where (told.earliest, told.latest) is distinct from (b.earliest, b.latest)`);
  t.is(wrong, 0);
});
