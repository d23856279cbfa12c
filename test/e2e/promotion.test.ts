import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { event } from '#test/helpers/make.ts';
import { serviceOn } from '#test/helpers/service_on.ts';
import { testStandby } from '#test/helpers/standby.ts';
import { until } from '#test/helpers/until.ts';

const SENDERS = 4;
/** Requests that are acknowledged before the primary is killed, and after. */
const EACH = 40;

const Stored = z.object({ id: z.string(), chain_seq: z.number() });
const Told = z.object({ alert_id: z.string(), delivered: z.number() });

test('when a standby takes the place of its primary, what was acknowledged is there once, and so is what comes of it', async t => {
  const servers = await testStandby(t);
  const { db, org_id, as, received } = await serviceOn(t, { DATABASE_URL: servers.url });
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let calls = 0;
  let is_open = true;
  const sending = Array.from({ length: SENDERS }, async () => {
    while (is_open) {
      calls += 1;
      const payment = {
        payee: `domain:shop-${calls}.example.com`,
        more: { context: { tool_call_id: `call-${calls}` } },
      };
      const events = [event(payment), event(payment)];
      for (let status = 0; status !== 200;) {
        ({ status } = await as.post('/v1/events', { events }));
        statuses.add(status);
      }
      acknowledged.push(...events.map(({ id }) => id));
    }
  });
  const more = async () => {
    const enough = acknowledged.length + 2 * EACH;
    await until(() => acknowledged.length >= enough);
  };
  await more();
  await servers.promote();
  await more();
  is_open = false;
  await Promise.all(sending);

  t.deepEqual([...statuses].toSorted(), [200, 503], 'refused for a while, and never in another way');
  const stored = await db.any(sql.type(Stored)`
    select id, chain_seq from events where org_id = ${org_id} order by chain_seq`);
  t.deepEqual(stored.map(({ id }) => id).toSorted(), acknowledged.toSorted());
  t.deepEqual(
    stored.map(({ chain_seq }) => chain_seq),
    stored.map((_, index) => index + 1),
  );
  t.like((await as.post('/v1/log/verify', {})).body, { ok: true });
  const told = () =>
    db.any(sql.type(Told)`
      select a.id as alert_id, (select count(*)::int from webhook_deliveries d where d.org_id = a.org_id
        and d.state = 'delivered' and d.body::jsonb -> 'data' ->> 'alert_id' = a.id) as delivered
      from alerts a where a.org_id = ${org_id} and a.detector = 'duplicate_payment'`);
  // Each was paid twice.
  await until(async () => (await told()).filter(({ delivered }) => delivered > 0).length >= calls);
  const alerts = await told();
  t.is(alerts.length, calls);
  t.true(alerts.every(({ delivered }) => delivered === 1));
  const heard = new Set(received.map(({ body }) => JSON.parse(String(body)).data.alert_id));
  t.deepEqual(
    alerts.filter(({ alert_id }) => !heard.has(alert_id)),
    [],
  );
});
