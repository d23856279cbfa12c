import test from 'ava';
import { createClient } from '#api/client/client.ts';
import { withIds, agree } from '#bin/demo/agree.ts';
import { generate } from '#bin/demo/generate.ts';
import { replay } from '#bin/demo/replay.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { catalog, detectors } from '#shared/detection/detectors/index.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import { sweep } from '#shared/detection/sweeps/sweep.ts';
import { saveRates } from '#shared/events/input/fx_rates.ts';
import { fictionalList } from '#shared/screening/lists/fictional.ts';
import { readList } from '#shared/screening/lists/read_list.ts';
import { loadList } from '#shared/screening/store/list_load.ts';
import { EVERYBODY } from '#shared/screening/store/screening_lists.ts';
import { DAY, HOUR, SECOND } from '#shared/values/time.ts';
import { exchangeRates } from '#bin/demo/rates.ts';
import { holdEvidence, noting } from '#test/helpers/evidence.ts';
import { event } from '#test/helpers/make.ts';
import type { Alert } from '#shared/casework/alerts.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { turnOf } from '#test/helpers/runs.ts';
import { type World, world } from '#test/helpers/world.ts';
import { createHandler as createScreenHandler } from '#workers/handlers/screen.ts';
import { diceOf, low, scriptOf } from './script.ts';

/** Takes the log through detection in ranges of these lengths, in turn; answers with what was found. */
async function analyzeNoting(w: World, lengths: readonly number[], now = Date.now) {
  const { noted, detectors: noters } = noting(detectors);
  const cache = createDetectionCache();
  for (let turn = 0; ; turn += 1) {
    const limit = lengths[turn % lengths.length] ?? 1_000;
    const options = { limit, detectors: noters, cache, assessor: w.assessor, now };
    const analyzed = await analyzeRange(w.db, w.tenant, options);
    if (analyzed?.failures.length) throw new Error(JSON.stringify(analyzed.failures));
    if (!analyzed?.events) return noted;
  }
}

for (const seed of turnOf([1, 2], 0, 2))
  test(`whatever is sent, an alert's numbers are its evidence (${seed})`, async t => {
    const w = await world(t, { own_database: true });
    for (const [detector, params] of Object.entries(low))
      await saveSetting(w.db, w.tenant, detector, { ...presetOf({}), params }, Date.now());
    const script = scriptOf(diceOf(seed), 300, Date.now() - 6 * HOUR);
    const { body } = await w.as.post('/v1/events', { events: script });
    t.is(body.rejected, 0);
    const told = await holdEvidence(t, w, await analyzeNoting(w, [7, 1, 20, 3]));
    t.true(told.size > 10, [...told].join());
  });

test('of more payments than are at hand, an alert says how many of them it names', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const start = Date.now() - 3 * HOUR;
  const paid = Array.from({ length: 300 }, (_, n) =>
    event({ at: start + n * 6 * SECOND, payee: `domain:shop-${n % 9}.example.com`, cents: String(25 + (n % 7)) }),
  );
  await w.as.post('/v1/events', { events: paid });
  const told = await holdEvidence(t, w, await analyzeNoting(w, [40]));
  t.true(told.has('velocity_count') && told.has('spend_velocity'));
  for (const detector of ['velocity_count', 'spend_velocity']) {
    const [alert] = (await w.as.get(`/v1/alerts?detector=${detector}`)).body.data;
    t.regex(alert.explanation, /This alert names .*256 payments/);
  }
});

test("of every detector, an alert's numbers are its evidence", async t => {
  const start = Date.now();
  let time = start;
  // Batches arrive one after the other.
  const now = () => (time += 100);
  const w = await world(t, { own_database: true, thresholds: true, now });
  for (const { name, off_by_default } of catalog)
    if (off_by_default) await saveSetting(w.db, w.tenant, name, presetOf({}), start);
  const lively = { least_gaps: 5, least_history_s: 1, least_silence_s: 60 };
  await saveSetting(w.db, w.tenant, 'silent_source', { ...presetOf({}), params: lively }, start);
  await saveRates(w.db, exchangeRates(start));
  const { name, format, path } = fictionalList;
  const list = { org_id: EVERYBODY, name, format, insist: false, loaded_by: 'operator' as const, environment: null };
  await loadList(w.db, { ...list, ...readList(format, path) }, start);

  const made = generate(3, start);
  const ids = await agree(w.services, w.tenant, made.agreed);
  const agents = new Set(made.labels.flatMap(label => label.agents.map(({ external_id }) => external_id)));
  const events = withIds(
    made.events.filter(({ agent }) => agents.has(agent?.external_id ?? '')),
    ids,
  );
  await replay(createClient({ url: w.api.address, key: w.full.key }), events);
  await createScreenHandler(w.services, new AbortController().signal)(w.tenant);
  const noted = await analyzeNoting(w, [500, 60, 1_000], now);
  time += 9 * DAY;
  await sweep(w.services);
  const told = await holdEvidence(t, w, noted);
  t.deepEqual(
    catalog.map(detector => detector.name).filter(detector => !told.has(detector)),
    [],
  );
});

test('what is told of conduct names every payment that its reasons count', async t => {
  const start = Date.now();
  let time = start;
  const w = await world(t, { own_database: true, now: () => (time += 100) });
  await saveRates(w.db, exchangeRates(start));
  const made = generate(3, start);
  const agents = new Set(made.labels.flatMap(label => label.agents.map(({ external_id }) => external_id)));
  const ids = await agree(w.services, w.tenant, made.agreed);
  const events = withIds(
    made.events.filter(({ agent }) => agents.has(agent?.external_id ?? '')),
    ids,
  );
  await replay(createClient({ url: w.api.address, key: w.full.key }), events);
  await w.analyze({ limit: 300 });
  const { data } = (await w.as.get('/v1/alerts?limit=200')).body;
  const told = data.filter(({ explanation }: Alert) => explanation.includes('by the alert budget of'));
  t.true(told.length > 3);
  for (const { id, explanation } of told) {
    const { payments, spend_usd_micro } = (await w.as.get(`/v1/alerts/${id}/evidence`)).body;
    const [, named = '1', sum] = / It names (\d+) payments(?:, (\$[\d,.]+) together)?\./.exec(explanation) ?? [];
    t.is(payments, Number(named), explanation);
    if (sum) t.is(formatUsdMicro(BigInt(spend_usd_micro)), sum, explanation);
  }
});
