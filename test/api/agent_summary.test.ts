import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const today = Math.floor(Date.now() / DAY) * DAY;

test('a summary adds up the last 30 days by day, by rail and by payee', async t => {
  const w = await world(t, { now: () => today + 12 * HOUR });
  const shop = (n: number) => `domain:shop-${String(n).padStart(2, '0')}.example.com`;
  const paid = Array.from({ length: 22 }, (_, n) =>
    event({ at: today - (n % 3) * DAY, cents: String(100 * (n + 1)), payee: shop(n), payee_name: `Shop ${n}` }),
  );
  await w.as.post('/v1/events', {
    events: [
      ...paid,
      event({ at: today - 29 * DAY, cents: '5', payee: shop(0), rail: 'sepa' }),
      event({ at: today - 30 * DAY, cents: '7000', payee: shop(0), rail: 'wire' }),
      event({ at: today, cents: '90000', type: 'payment.failed', payee: shop(0), rail: 'ach' }),
      event({ at: today, agent: 'somebody else', cents: '90000' }),
    ],
  });
  await w.analyze();
  const agents = (await w.as.get('/v1/agents')).body.data;
  const { id, spend_usd_minor_30d } = agents.find((agent: { external_id: string }) => agent.external_id === 'agent-1');
  const { status, body } = await w.as.get(`/v1/agents/${id}/summary`);
  t.is(status, 200);
  t.is(body.by_day.length, 30);
  t.is(body.by_day[0].day, new Date(today - 29 * DAY).toISOString().slice(0, 10));
  t.like(body.by_day[0], { payments: 1, spend_usd_minor: '5' });
  t.like(body.by_day[1], { payments: 0, spend_usd_minor: '0' });
  t.is(body.by_day[29].payments, 9);
  t.is(
    body.by_day.reduce((sum: number, day: { spend_usd_minor: string }) => sum + Number(day.spend_usd_minor), 0),
    25_305,
  );
  t.is(spend_usd_minor_30d, '25305');
  t.deepEqual(body.by_rail, [
    { rail: 'card', payments: 22, spend_usd_minor: '25300' },
    { rail: 'sepa', payments: 1, spend_usd_minor: '5' },
    { rail: 'ach', payments: 1, spend_usd_minor: '0' },
  ]);
  t.is(body.by_payee.length, 20);
  t.like(body.by_payee[0], { key: shop(21), name: 'Shop 21', payments: 1, spend_usd_minor: '2200' });
  t.like(body.by_payee[19], { key: shop(2) });
  t.deepEqual(body.verification, { verified: 0, failed: 0, inconclusive: 0, none: 24 });
  t.deepEqual(body.mandates, { compliant: 0, breach: 0, unresolved: 0, none: 24 });
});

test('an agent of which nothing was analyzed has a summary of nothing; no agent has none', async t => {
  const w = await world(t);
  await w.as.post('/v1/events', event());
  const [{ id }] = (await w.as.get('/v1/agents')).body.data;
  const { body } = await w.as.get(`/v1/agents/${id}/summary`);
  t.is(body.by_day.length, 30);
  t.deepEqual([body.by_rail, body.by_payee, body.verification.none], [[], [], 0]);
  t.is((await w.as.get(`/v1/agents/${newId('agt')}/summary`)).status, 404);
});
