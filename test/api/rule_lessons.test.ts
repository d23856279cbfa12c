import test from 'ava';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { payment } from '#test/helpers/conduct.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const now = Date.parse('2026-11-20T12:30:00.000Z');
const detector = '/v1/detectors/duplicate_payment';

test('what is dismissed of a rule that learns scores less the next time, for other agents of the owner too, until it is forgotten', async t => {
  const w = await world(t, { now: () => now });
  const ada = await w.person('developer');
  await ada.put(detector, { cooldown_s: 0 });
  const twice = async (agent: string, day: number, payee = 'domain:tickets.example.com', usd = 40 + day) => {
    const at = now - 20 * DAY + day * 2 * DAY + day * HOUR;
    const owner = agent === 'stranger' ? 'owner-2' : 'owner-1';
    for (const time of [at, at + 2 * MINUTE])
      await w.as.post('/v1/events', payment({ agent, owner }, time, usd, payee));
    const raised = (await w.analyze()).find(each => each.detector === 'duplicate_payment');
    return (await w.as.get(`/v1/alerts/${raised?.alert_id}`)).body;
  };
  const dismiss = (id: string) =>
    ada.post(`/v1/alerts/${id}/actions`, { action: 'dismiss', reason: 'for two travelers' });
  const first = await twice('odd', 0);
  t.like(first, { detector: 'duplicate_payment', score: 70, severity: 'high' });
  t.like((await dismiss(first.id)).body.lesson, { aspect: 'payee', factor: 3, dismissals: 1 });
  const second = await twice('odd', 1);
  t.like(second, { score: 50, severity: 'medium' });
  t.regex(
    second.explanation,
    /People dismissed one similar alert for this agent, so this counts as 3 times as common\.$/,
  );
  t.like(await twice('odd', 2, 'domain:other.example.com'), { score: 70 });
  t.like(await twice('peer', 3), { score: 62.6 });
  t.like(await twice('stranger', 4), { score: 70 });
  t.like(await twice('third', 5, undefined, 4_000), { detector: 'duplicate_payment', score: 70 });
  await dismiss(second.id);
  const { lessons } = (await ada.get(`${detector}/quality`)).body;
  t.like(lessons, [{ dismissals: 2, factor: 9, peers_factor: 2.25 }]);
  await ada.delete(`${detector}/lessons/${lessons[0].id}`);
  t.like(await twice('other', 6), { score: 70 });
});

test('what other rules find teaches nothing', async t => {
  const w = await world(t, { now: () => now });
  const ada = await w.person('developer');
  const at = now - DAY;
  const events = Array.from({ length: 6 }, (_, n) =>
    event({ at: at + n * MINUTE, agent: 'odd', cents: String(2_000 + n), type: 'payment.failed' }),
  );
  await w.as.post('/v1/events', { events });
  const [raised] = await w.analyze();
  t.is(raised?.detector, 'failed_payment_burst');
  const { body } = await ada.post(`/v1/alerts/${raised?.alert_id}/actions`, { action: 'dismiss', reason: 'a test' });
  t.is(body.lesson, null);
});
