import test from 'ava';
import { needsOf } from '#shared/detection/model/needs.ts';
import { catalog, detectors } from '#shared/detection/detectors/index.ts';
import { presetOf, saveSetting, withDefaults } from '#shared/detection/settings/detector_settings.ts';
import { event } from '#test/helpers/make.ts';
import { every, HOUR, MINUTE, noon, play, SECOND, type EventStep } from '#test/helpers/play.ts';
import { world } from '#test/helpers/world.ts';

test('every parameter of a detector has a default and says what it is', t => {
  for (const { name, params } of catalog) {
    t.deepEqual(Object.keys(params.parse({})).toSorted(), Object.keys(params.shape).toSorted(), name);
    for (const [param, schema] of Object.entries(params.shape))
      t.regex(schema.meta()?.description ?? '', /^[A-Z].{10,}/, `${name}: ${param}`);
  }
});

const usual = Array.from({ length: 30 }, (_, index) => ({ at: noon - (30 - index) * HOUR, usd: 8 + (index % 5) }));

// What a detector is silent about, or finds, and a setting that turns that round for the last event.
const turned: [name: string, found: boolean, steps: EventStep[], params: Record<string, unknown>][] = [
  ['velocity_count', false, every(2 * SECOND, 5, noon), { per_minute: 5 }],
  ['velocity_count', true, every(2 * SECOND, 21, noon), { per_minute: 22 }],
  ['velocity_count', false, every(MINUTE, 5, noon), { per_hour: 5 }],
  ['spend_velocity', false, [{ at: noon, usd: 6 }], { hour_floor_usd: '5' }],
  ['spend_velocity', true, every(100 * MINUTE, 7, noon, { usd: 30 }), { day_floor_usd: '1000' }],
  ['amount_outlier', true, [...usual, { at: noon, usd: 100 }], { threshold: 20 }],
  ['amount_outlier', true, [...usual, { at: noon, usd: 100 }], { least_usd: '100.01' }],
  ['amount_outlier', true, [...usual, { at: noon, usd: 100 }], { least_payments: 31 }],
  ['new_payee_high_amount', false, [{ at: noon, usd: 60 }], { floor_usd: '50' }],
  ['new_payee_high_amount', true, [...usual, { at: noon, usd: 101, payee_id: 'pye_2' }], { floor_usd: '101' }],
  ['duplicate_payment', false, every(20 * MINUTE, 2, noon, { usd: 25 }), { window_s: 1_200 }],
  ['duplicate_payment', true, every(HOUR, 2, noon, { tool_call_key: 'c' }), { same_call_window_s: 60 }],
  [
    'duplicate_payment',
    false,
    [
      { at: noon, usd: 0.5, resource_key: 'a' },
      { at: noon + SECOND, usd: 0.5, resource_key: 'b' },
    ],
    { metered_below_usd: '0.1' },
  ],
  ['runaway_loop', false, every(15 * SECOND, 5, noon), { least: 5 }],
  ['runaway_loop', false, every(MINUTE, 10, noon), { window_s: 900 }],
  ['runaway_loop', true, every(15 * SECOND, 10, noon), { regular_below: 0 }],
  ['failed_payment_burst', false, every(MINUTE, 3, noon, { type: 'payment.failed' }), { least: 3 }],
  ['failed_payment_burst', true, every(MINUTE, 5, noon, { type: 'payment.failed' }), { window_s: 60 }],
];

for (const [name, found, steps, params] of turned)
  test(`a setting ${found ? 'quietens' : 'sharpens'} ${name}: ${JSON.stringify(params)}`, t => {
    const last = (given: Record<string, unknown>) =>
      play(steps, name, { params: given }).some(({ seq }) => seq === steps.length);
    t.is(last({}), found);
    t.is(last(params), !found);
  });

test('an agent’s rhythm is read from the thresholds on that are set, and not at all where nobody asks for it', t => {
  const active = detectors.map(withDefaults);
  t.deepEqual(needsOf(active), { per_minute: 21, per_hour: 201, spend_micro: 50_000_000n });
  const others = active.filter(({ detector }) => !['velocity_count', 'spend_velocity'].includes(detector.name));
  t.deepEqual({ ...needsOf(others), spend_micro: 0n }, { per_minute: Infinity, per_hour: Infinity, spend_micro: 0n });
});

test('thresholds that a tenant has lowered hold for its log', async t => {
  const w = await world(t);
  const at = Date.now() - 3_600_000;
  const set = (name: string, params: Record<string, unknown>) =>
    saveSetting(w.db, w.tenant, name, { ...presetOf({}), params }, Date.now());
  await set('velocity_count', { per_minute: 3 });
  await set('spend_velocity', { day_floor_usd: '10' });
  await w.as.post('/v1/events', { events: [0, 1, 2].map(n => event({ at: at + n * SECOND, cents: String(401 + n) })) });
  const raised = await w.analyze({ limit: 2 });
  t.deepEqual(raised.map(({ detector }) => detector).toSorted(), ['spend_velocity', 'velocity_count']);
});
