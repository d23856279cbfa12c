import test from 'ava';
import { createClient } from '#api/client/client.ts';
import { withIds, agree } from '#bin/demo/agree.ts';
import { generate } from '#bin/demo/generate.ts';
import { replay } from '#bin/demo/replay.ts';
import { presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import { saveRates } from '#shared/events/input/fx_rates.ts';
import { HOUR, SECOND } from '#shared/values/time.ts';
import { exchangeRates } from '#bin/demo/rates.ts';
import { analyzeNoting, holdEvidence } from '#test/helpers/evidence.ts';
import { event } from '#test/helpers/make.ts';
import type { Alert } from '#shared/casework/alerts.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { turnOf } from '#test/helpers/runs.ts';
import { world } from '#test/helpers/world.ts';
import { diceOf, low, scriptOf } from './script.ts';

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
  const told = data.filter(({ explanation }: Alert) => explanation.includes('(alert budget: '));
  t.true(told.length > 3);
  for (const { id, explanation } of told) {
    const { payments, spend_usd_micro } = (await w.as.get(`/v1/alerts/${id}/evidence`)).body;
    const [, named = '1', sum] = / This covers (\d+) payments(?:, (\$[\d,.]+) in total)?\./.exec(explanation) ?? [];
    t.is(payments, Number(named), explanation);
    if (sum) t.is(formatUsdMicro(BigInt(spend_usd_micro)), sum, explanation);
  }
});
