import test from 'ava';
import { sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';
import { webhook } from '#shared/running/work/kinds/webhook.ts';
import type { Attempt } from '#shared/webhooks/send.ts';
import { claimBacklog, recordAcknowledged, releaseBacklog } from '#shared/webhooks/webhook_backlog.ts';
import { claimOverdue } from '#shared/webhooks/webhook_claims.ts';
import { MOST_QUEUED, QUEUE_GRACE } from '#shared/webhooks/webhook_deliveries.ts';
import { disableEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { replayDelivery, replaySince } from '#shared/webhooks/webhook_replay.ts';
import { acknowledged, backlogOf } from '#test/helpers/backlog.ts';
import { untilSomebodyWaits } from '#test/helpers/locks.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { alerts, webhookWorld } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';
import { createEndpointLimiter } from '#workers/endpoint_limiter.ts';

test('of a backlog each delivery is sent once, what fails is tried again after its wait, and what is refused is a failed job', async t => {
  const tries = new Map<string, number[]>();
  const order = new Map<string, number>();
  const { url } = await receiver(t, ({ at, headers }) => {
    const id = String(headers['webhook-id']);
    tries.set(id, [...(tries.get(id) ?? []), at]);
    const place = order.get(id) ?? order.size;
    order.set(id, place);
    if (place === 150) return 410;
    return place === 120 && tries.get(id)?.length === 1 ? 500 : 200;
  });
  const { deliver, deliveries, endpoint, queue, states, work } = await webhookWorld(t);
  await endpoint(url);
  work();
  await deliver(200);
  await until(async () => (await states())['delivered'] === 199);
  t.is((await states())['refused'], 1);
  await until(async () => (await queue.counts('webhook'))['failed'] === 1);
  const [failed] = await queue.failed('webhook', 1);
  t.is(failed?.error, 'Not delivered, refused at attempt 1: the endpoint answered 410.');
  const retried = [...tries].filter(([, times]) => times.length > 1);
  t.is(retried.length, 1);
  const [[id, [first = 0, second = 0]] = ['', []]] = retried;
  t.true(second - first >= 480, `${second - first} ms`);
  for (const { attempts, id: each, state } of await deliveries()) {
    t.is(attempts.length, each === id ? 2 : 1);
    t.like(attempts.at(-1), { outcome: state, number: attempts.length });
  }
});

test('a backlog that finds no places leaves those whose jobs are gone to the next that is sent', async t => {
  let open = () => {};
  const opened = new Promise<void>(resolve => (open = resolve));
  const { url, received } = await receiver(t, () => response => void opened.then(() => response.end()));
  const { deliver, endpoint, states, work } = await webhookWorld(t);
  await endpoint(url);
  const limiter = createEndpointLimiter({ places: 200, most: 5 });
  let jobs = 0;
  let refused = 0;
  work({
    ...limiter,
    enter(endpoint_id, delivery_id, next_at) {
      if (next_at !== undefined) jobs += 1;
      else if (refused < 5) {
        refused += 1;
        return false;
      }
      return limiter.enter(endpoint_id, delivery_id, next_at);
    },
  });
  await deliver(120);
  await until(() => jobs === MOST_QUEUED && received.length === 5);
  open();
  await until(async () => (await states())['delivered'] === 120);
  t.is(refused, 5);
  t.is(received.length, 120, 'each was sent once');
});

test('what a killed process had claimed is left to it for 25 s, and is found then', async t => {
  const { db, endpoint, insert, now, tenant } = await webhookWorld(t);
  const { id: endpoint_id } = await endpoint('http://127.0.0.1:9/');
  await insert(alerts(MOST_QUEUED + 30));
  const at = now() + SECOND;
  const claim = (ids: string[], time: number) => {
    const turned_away = new Map(ids.map(id => [id, timestamp(at + QUEUE_GRACE)]));
    return claimBacklog(db, tenant, { endpoint_id, turned_away }, 1_000, time);
  };
  const claimed = await claim([], at);
  t.is(claimed.length, 30, 'the others have jobs on their way');
  t.deepEqual(await claim([], at), []);
  const late = await claimOverdue(db, at + 24 * SECOND);
  const ids = claimed.map(({ delivery_id }) => delivery_id);
  t.true(late.every(({ delivery_id }) => !ids.includes(delivery_id)));
  const [one = '', ...rest] = ids;
  t.is((await releaseBacklog(db, tenant, [one], at)).length, 1);
  t.deepEqual(await claim([], at), []);
  t.is((await claim([one], at)).length, 1, 'its job was turned away');
  const found = [await claimOverdue(db, at + 26 * SECOND), await claimOverdue(db, at + 32 * SECOND)].flat();
  t.true(found.some(({ delivery_id }) => rest.includes(delivery_id)));
  await disableEndpoint(db, tenant, endpoint_id, at);
  t.deepEqual(await claim(ids, at + 60 * SECOND), []);
});

test('what a process had claimed of a backlog is free as soon as it has ended, and what another has claimed is not', async t => {
  const { db, endpoint, insert, now, tenant } = await webhookWorld(t);
  const { id: endpoint_id } = await endpoint('http://127.0.0.1:9/');
  const [job] = await insert(alerts(MOST_QUEUED + 30));
  if (!job) return t.fail();
  const at = now() + SECOND;
  const claim = async (worker: string, limit: number) => {
    const claimed = await claimBacklog(db, tenant, { endpoint_id, turned_away: new Map(), worker }, limit, at);
    return claimed.map(({ delivery_id }) => delivery_id);
  };
  const left = await claim('ended', 10);
  t.is((await claim('alive', 1_000)).length, 20);
  await webhook.letGo?.({ db, now: () => at }, job, 'ended');
  t.deepEqual(await claim('alive', 1_000), left);
  await webhook.letGo?.({ db, now: () => at }, job, 'ended');
  t.deepEqual(await claim('alive', 1_000), []);
});

test('what has a job on its way is not sent from the backlog as well, however slowly the endpoint answers', async t => {
  const { db, endpoint, insert, now, tenant } = await webhookWorld(t);
  const { id: endpoint_id } = await endpoint('http://127.0.0.1:9/');
  const [job] = await insert(alerts(1));
  if (!job) return t.fail();
  const at = now();
  const claim = (time: number) => claimBacklog(db, tenant, { endpoint_id, turned_away: new Map() }, 1_000, time);
  t.deepEqual(await claim(at + 14 * SECOND), []);
  await replayDelivery(db, tenant, job.delivery_id, at);
  t.deepEqual(await claim(at), [], 'sent again');
  t.is((await claim(at + 17 * SECOND)).length, 1, 'its job must be lost');
  await insert(alerts(120));
  await db.query(sql.unsafe`update webhook_deliveries set state = 'delivered', finished_at = now()`);
  const { replayed, jobs } = await replaySince(db, tenant, { endpoint_id, since: 0 }, at);
  const queued = new Set(jobs.map(({ delivery_id }) => delivery_id));
  const rest = await claim(at);
  t.deepEqual([replayed, queued.size, rest.length], [121, MOST_QUEUED, 121 - MOST_QUEUED]);
  t.false(rest.some(({ delivery_id }) => queued.has(delivery_id)));
});

test('a delivery whose job comes late is not sent by another process meanwhile', async t => {
  let passed = 0;
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { url } = await receiver(t, () => {
    ask();
    return response => void answered.then(() => response.writeHead(200).end());
  });
  const { db, deliver, endpoint, now, states, tenant, work } = await webhookWorld(t, {
    now: () => Date.now() + passed,
  });
  const { id: endpoint_id } = await endpoint(url);
  await deliver();
  passed = 30 * SECOND;
  work();
  await asked;
  t.deepEqual(await claimBacklog(db, tenant, { endpoint_id, turned_away: new Map() }, 10, now()), []);
  answer();
  await until(async () => (await states())['delivered'] === 1);
});

test('a backlog goes on past a delivery that a job of the same process is sending', async t => {
  const { drain, ids, limiter, endpoint_id, queue, states } = await backlogOf(t, 30);
  const [held = ''] = ids;
  limiter.enter(endpoint_id, held);
  const sent = await drain();
  t.deepEqual([...sent, held].toSorted(), ids);
  t.is(sent.length, 29);
  t.is((await states())['delivered'], 29);
  t.is((await queue.counts('webhook'))['waiting'] ?? 0, 0, 'no job was needed for the rest');
});

test('what an endpoint has acknowledged is written down, also where something else of its backlog could not be', async t => {
  const { drain, states } = await backlogOf(t, 40);
  const refused: Attempt = { ...acknowledged, outcome: 'refused', status: 410 };
  let number = 0;
  const sent = await drain({
    attempt: async () => (++number === 3 ? refused : acknowledged),
    other: async () => {
      throw new Error('the database is away');
    },
  });
  t.is(sent.length, 10, 'the rest waits until the database is back');
  t.is((await states())['delivered'], 9);
});

test('acknowledgements are written down when the database is back', async t => {
  const { db, drain, states } = await backlogOf(t, 40);
  let number = 0;
  let refusals = 0;
  const away: Services['db'] = Object.assign(Object.create(db), {
    any: (...query: Parameters<Services['db']['any']>) => {
      if (refusals === 0) return db.any(...query);
      refusals -= 1;
      return Promise.reject(Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' }));
    },
  });
  const sent = await drain({
    db: away,
    attempt: async () => {
      number += 1;
      if (number === 10) refusals = 4;
      return acknowledged;
    },
  });
  t.is(sent.length, 10, 'nothing more is sent meanwhile');
  t.is((await states())['delivered'], 10);
});

test('when acknowledgements could not be counted, those of the deliveries that were sent meanwhile are not lost', async t => {
  const { drain, states } = await backlogOf(t, 100);
  const sent = await drain({
    acknowledged: async () => {
      throw new Error('something is away');
    },
  });
  t.is(sent.length, 30);
  t.is((await states())['delivered'], 30);
});

test('in the middle of a backlog, another address and another secret count at once', async t => {
  const { activate, change, drain, pass, pending, rotate } = await backlogOf(t, 30);
  const used: string[] = [];
  const changed = async () => {
    await change('http://127.0.0.1:9/new');
    await rotate();
    await activate();
    pass(SECOND / 4);
  };
  let changing: Promise<void> | null = null;
  await drain({
    attempt: async ({ url, sealed_secret, previous_sealed_secret }) => {
      used.push(`${url} ${sealed_secret.toString('hex').slice(-16)} ${previous_sealed_secret !== null}`);
      if (used.length > 10) await (changing ??= changed());
      return acknowledged;
    },
  });
  t.is(await pending(), MOST_QUEUED, 'those with jobs');
  t.is(new Set(used.slice(0, 20)).size, 1);
  const [later = '', ...others] = new Set(used.slice(20));
  t.deepEqual(others, []);
  t.regex(later, /^http:\/\/127.0.0.1:9\/new .* false$/);
  t.not(later.split(' ')[1], used[0]?.split(' ')[1]);
});

test('in the middle of a backlog, nothing more is sent to an endpoint that was disabled', async t => {
  const { db, drain, endpoint_id, now, pass, states, tenant } = await backlogOf(t, 30);
  let number = 0;
  let changing: Promise<unknown> | null = null;
  const sent = await drain({
    attempt: async () => {
      if (++number > 10) await (changing ??= disableEndpoint(db, tenant, endpoint_id, now()).then(() => pass(SECOND)));
      return acknowledged;
    },
  });
  t.is(sent.length, 20);
  t.deepEqual(await states(), { delivered: 10, canceled: MOST_QUEUED + 20 });
});

test('two processes that send the backlog of one endpoint send each delivery once, at first and in a replay', async t => {
  const { url, received } = await receiver(t, () => response => void setTimeout(() => response.end(), 5));
  const { db, deliver, endpoint, now, queue, reconcile, states, tenant, work } = await webhookWorld(t);
  const { id: endpoint_id } = await endpoint(url);
  work();
  work();
  reconcile();
  const sentOnce = async (times: number) => {
    await until(async () => (await states())['delivered'] === 300);
    t.is(received.length, 300 * times);
    t.is(new Set(received.slice(-300).map(({ headers }) => headers['webhook-id'])).size, 300);
  };
  await deliver(300);
  await sentOnce(1);
  const { jobs } = await replaySince(db, tenant, { endpoint_id, since: 0 }, now());
  await queue.add('webhook', jobs);
  await sentOnce(2);
});

test('a job and a backlog that record the same delivery at once do not wait for each other in a circle', async t => {
  const { db, endpoint_id, now, states, tenant } = await backlogOf(t, 1);
  const [work] = await claimBacklog(db, tenant, { endpoint_id, turned_away: new Map() }, 1, now());
  if (!work) return t.fail();
  const { id, org_id, environment } = { ...tenant, id: work.delivery_id };
  const recorded = await db.transaction(async tx => {
    await tx.query(sql.unsafe`
      select from webhook_deliveries where org_id = ${org_id} and environment = ${environment} and id = ${id} for update`);
    const recording = recordAcknowledged(db, tenant, [{ ...work, ...acknowledged, at: now() }], now());
    await untilSomebodyWaits(tx);
    await tx.query(sql.unsafe`
      insert into webhook_attempts (org_id, environment, delivery_id, generation, number, at, outcome, ms)
      values (${org_id}, ${environment}, ${id}, ${work.generation}, ${work.attempt_count + 1}, now(), 'delivered', 1)`);
    return { recording };
  });
  t.deepEqual([...(await recorded.recording)], [[id, 'delivered']]);
  t.is((await states())['delivered'], 1);
});
