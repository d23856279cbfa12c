import test from 'ava';
import { createIngestCounts } from '#shared/keys/ingest_counts.ts';
import { readIngestHealth } from '#shared/keys/ingest_health.ts';
import { pruneTable } from '#shared/running/work/prune.ts';
import { DAY } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

test('developers see for each key what came of its events, and why some were rejected', async t => {
  const { client, key, tenant, person, config } = await world(t, {
    own_database: true,
    settings: { RATE_LIMITS: 'write=50/min,read=100000,screen=20,pack=10/min' },
  });
  const made = await key(tenant.org_id, ['events:write']);
  const as = client(made.key);
  t.truthy(config.rate_limits);
  const sent = event();
  await as.post('/v1/events', {
    events: [sent, event(), { ...event(), type: 'payment.guessed' }, { ...event(), colour: 'red' }],
  });
  await as.post('/v1/events', sent);
  await as.post('/v1/events', { ...sent, description: 'other' });
  await as.post('/v1/events', { ...event(), metadata: 7 });
  const ada = await person('developer');
  // Processes write every five seconds.
  const read = async () => (await ada.get(`/v1/ingest-health?key_id=${made.id}`)).body.data;
  let health = await read();
  await until(async () => (health = await read())[0]?.requests === 4);
  t.like(health, [
    {
      id: made.id,
      requests: 4,
      accepted: 2,
      duplicates: 1,
      conflicts: 1,
      rejected: 3,
      rate_limited: 0,
      least_left: 46,
    },
  ]);
  const reasons = health[0].rejections.map(({ path, events }: { path: string; events: number }) => [path, events]);
  t.deepEqual(
    reasons.toSorted(),
    [
      ['/', 1],
      ['/metadata', 1],
      ['/type', 1],
    ],
    'names that the sender made up are left out',
  );
  t.is(health[0].by_hour.length, 1);
  t.is((await as.get('/v1/ingest-health')).status, 403, 'keys send, people look');
});

test('counts of many processes add up, reasons are bounded, and 31 days are kept', async t => {
  const { db, services, tenant, full } = await world(t, { own_database: true });
  const now = Date.now();
  const key = { ...tenant, key_id: full.id };
  const two = [0, 1].map(() => createIngestCounts({ ...services, now: () => now }));
  for (const counts of two) {
    counts.request(key, { left: 5, refused: true });
    counts.request(key, { left: null, refused: false });
    const faults = Array.from({ length: 200 }, (_, index) => ({
      code: 'invalid_type',
      path: `/events/${index}/x${index}`,
    }));
    counts.events(key, { accepted: 1, duplicates: 0, conflicts: 0, rejected: 200, faults });
  }
  await Promise.all(two.map(counts => counts.close()));
  const [health] = await readIngestHealth(db, tenant, [full], now - DAY);
  t.like(health, { requests: 4, rate_limited: 2, accepted: 2, rejected: 400, least_left: 5 });
  t.is(health?.rejections.length, 20);
  t.is(health?.rejections[0]?.events, 2);
  for (const table of ['key_hours', 'key_rejections'] as const) {
    t.is(await pruneTable(db, table, now + 30 * DAY), 0);
    t.true((await pruneTable(db, table, now + 33 * DAY)) > 0);
  }
});

test('hours are whole numbers up to 31 days, and other organizations are not to be seen', async t => {
  const { person, organization, full } = await world(t);
  const ada = await person('developer');
  for (const hours of ['0', '745', '1.5', 'all'])
    t.is((await ada.get(`/v1/ingest-health?hours=${hours}`)).status, 400, hours);
  t.is((await ada.get(`/v1/ingest-health?hours=744&key_id=${full.id}`)).body.data.length, 1);
  const rival = await person('owner', { of: (await organization('Rival')).id });
  t.deepEqual((await rival.get(`/v1/ingest-health?key_id=${full.id}`)).body.data, []);
});
