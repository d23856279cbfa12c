import test from 'ava';
import { createClient } from '#api/client/client.ts';
import { withIds, agree } from '#bin/demo/agree.ts';
import { generate } from '#bin/demo/generate.ts';
import { replay } from '#bin/demo/replay.ts';
import { catalog } from '#shared/detection/detectors/index.ts';
import { presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import { sweep } from '#shared/detection/sweeps/sweep.ts';
import { saveRates } from '#shared/events/input/fx_rates.ts';
import { fictionalList } from '#shared/screening/lists/fictional.ts';
import { readList } from '#shared/screening/lists/read_list.ts';
import { loadList } from '#shared/screening/store/list_load.ts';
import { EVERYBODY } from '#shared/screening/store/screening_lists.ts';
import { DAY } from '#shared/values/time.ts';
import { exchangeRates } from '#bin/demo/rates.ts';
import { analyzeNoting, holdEvidence } from '#test/helpers/evidence.ts';
import { world } from '#test/helpers/world.ts';
import { createHandler as createScreenHandler } from '#workers/handlers/screen.ts';

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
