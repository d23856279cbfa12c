import test from 'ava';
import { HOUR, SECOND } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const start = Date.now() - 3 * HOUR;

/** Twelve payments at a machine's pace, each for whom `whoOf` says. */
const plans = (agent: string, whoOf: (at: number) => object, more: { cents?: string[]; type?: string } = {}) =>
  Array.from({ length: 12 }, (_, at) =>
    event({
      agent,
      at: start + at * 5 * SECOND,
      cents: more.cents?.[at % more.cents.length] ?? '1100',
      ...(more.type && { type: more.type }),
      more: { metadata: whoOf(at) },
    }),
  );

test('equal payments for one person after the other are no loop, and for one again and again they are', async t => {
  const employee = (at: number) => ({ employee: `emp-5374${at}` });
  const events = [
    ...plans('for all', at => ({ ...employee(at), cost_center: 'ops' })),
    ...plans('for one again', at => employee(at % 11)),
    ...plans('for some', at => (at === 4 ? {} : employee(at))),
    ...plans('by order', at => ({ order_id: `A-5374${at}` })),
    ...plans('of two prices', employee, { cents: ['1100', '1700'] }),
    ...plans('that fail', employee, { type: 'payment.failed' }),
  ];
  for (const limit of [1, 5, 1_000]) {
    const { as, analyze } = await world(t);
    const { body } = await as.post('/v1/events', { events });
    t.is(body.accepted, events.length);
    await analyze({ limit });
    const { data } = (await as.get('/v1/alerts?detector=runaway_loop')).body;
    const agents = (await as.get('/v1/agents')).body.data;
    const nameOf = (id: string) => agents.find((agent: { id: string }) => agent.id === id)?.external_id;
    t.deepEqual(data.map(({ agent_id }: { agent_id: string }) => nameOf(agent_id)).toSorted(), [
      'by order',
      'for one again',
      'for some',
      'of two prices',
      'that fail',
    ]);
  }
});
