import test from 'ava';
import { assessWorld } from '#test/worlds/assess.ts';
import { generate } from '#bin/demo/generate.ts';
import { NewMandate } from '#shared/mandates/store/mandate_input.ts';

const afternoon = Date.parse('2026-11-20T15:00:00.000Z');
const world = generate(8, afternoon);
const verdictOf = await assessWorld(world, afternoon);
const judged = world.events.map((event, index) => ({ event, verdict: verdictOf({ chain_seq: index + 1 }) }));
const planted = new Set(world.labels.flatMap(label => label.event_ids));
const normal = judged.filter(({ event }) => !planted.has(event.id));
const ofScenario = (name: string) => {
  const ids = world.labels.find(label => label.scenario === name)?.event_ids ?? [];
  return judged.filter(({ event }) => ids.includes(event.id)).map(({ verdict }) => verdict);
};

test('some of the day’s x402 calls come with the payload that authorized them', t => {
  const calls = normal.filter(
    ({ event: { payment, agent, occurred_at } }) =>
      payment.rail === 'x402' &&
      payment.status === 'settled' &&
      /^(research|watcher)/.test(agent?.external_id ?? '') &&
      Date.parse(occurred_at) >= world.day,
  );
  const share = calls.filter(({ event }) => event.evidence).length / calls.length;
  t.true(share > 0.05 && share < 0.12, `${share}`);
});

test('all that normal traffic is proven by is verified, and AP2 mandates are among it', t => {
  const proven = normal.filter(({ event }) => event.evidence);
  const kinds = new Set(proven.map(({ verdict }) => `${verdict.verification?.kind} ${verdict.verification?.result}`));
  t.deepEqual([...kinds].toSorted(), ['ap2_mandate verified', 'x402_authorization verified']);
  t.deepEqual(
    normal.filter(({ verdict }) => verdict.replays.length > 0),
    [],
  );
});

test('both events of a payment may carry one authorization', t => {
  const twice = normal
    .filter(({ event }) => event.evidence && event.type === 'payment.settled')
    .map(({ event }) => event);
  const first = new Map(
    normal.flatMap(({ event }) =>
      event.type === 'payment.authorized' ? [[event.payment.payment_id, event.evidence] as const] : [],
    ),
  );
  const pairs = twice.filter(event => first.has(event.payment.payment_id));
  t.true(pairs.length > 50);
  for (const { payment, evidence } of pairs) t.deepEqual(first.get(payment.payment_id), evidence);
});

test('all that normal traffic is held against, it complies with, up to the limit itself and budgets used to 79 %', t => {
  const evaluations = normal.flatMap(({ verdict }) => verdict.evaluations ?? []);
  t.true(evaluations.length > 1_000);
  t.deepEqual([...new Set(evaluations.map(({ result }) => result))], ['compliant']);
  t.deepEqual(
    evaluations.filter(({ crossed }) => crossed.length > 0),
    [],
  );
  const amounts = evaluations.flatMap(({ constraints }) =>
    constraints.filter(({ type }) => type === 'payment.amount_range'),
  );
  t.true(amounts.filter(({ observed, limit }) => observed !== null && limit?.endsWith(observed)).length > 100);
  const fullest = Math.max(...evaluations.flatMap(({ budgets }) => budgets.map(({ after }) => after)));
  t.true(fullest >= 7_800 && fullest <= 7_900, `${fullest / 100} %`);
});

for (const [scenario, code] of Object.entries({
  'Forged x402 payload': 'invalid_exact_evm_payload_signature',
  'Misdirected x402 payment': 'invalid_exact_evm_payload_recipient_mismatch',
  'Replayed x402 payload': 'nonce_reused',
  'Overdrawn AP2 mandate': 'mandate_scope_mismatch',
  'Replayed AP2 mandate': 'mandate_replayed',
  'Forged AP2 mandate': 'mandate_invalid_signature',
}))
  test(`it is for its own reason alone that the evidence fails: ${scenario}`, t => {
    const runs = ofScenario(scenario).flatMap(({ verification }) => verification?.runs ?? []);
    const codes = runs.flatMap(({ checks }) =>
      checks.filter(({ result }) => result === 'fail').map(check => check.code),
    );
    t.deepEqual([...new Set(codes)], [code]);
  });

for (const [scenario, code] of Object.entries({
  'Mandate: amount': 'amount_above_max',
  'Mandate: daily budget': 'budget_exceeded',
  'Mandate: payee': 'payee_not_allowed',
  'Mandate: category': 'category_not_allowed',
  'Mandate: time of day': 'outside_window',
  'Mandate: expired': 'mandate_expired',
}))
  test(`it is for its own reason alone that the mandate is broken: ${scenario}`, t => {
    const evaluations = ofScenario(scenario).flatMap(verdict => verdict.evaluations ?? []);
    const codes = evaluations.flatMap(({ constraints }) => constraints.flatMap(constraint => constraint.code ?? []));
    t.deepEqual([...new Set(codes)], [code]);
  });

test('the day’s budget breaks with the last payments, not before', t => {
  const ids = new Set(world.labels.find(label => label.scenario === 'Mandate: daily budget')?.event_ids);
  const authorized = judged.filter(({ event }) => ids.has(event.id) && event.type === 'payment.authorized');
  const results = authorized.map(({ verdict }) => verdict.evaluations?.[0]?.result);
  t.is(results[0], 'compliant');
  t.is(results.at(-1), 'breach');
  t.is(results.indexOf('breach'), results.lastIndexOf('compliant') + 1);
});

test('every mandate of a world is one the service takes, and the agents that nothing befalls have one each', t => {
  const { mandates } = world.agreed;
  for (const { name, constraints } of mandates)
    t.notThrows(() => NewMandate.parse({ agent_id: 'agt_01KAG4M0Y8N9T4A5W3R7C2XDEF', name, constraints }));
  const befallen = new Set(world.labels.flatMap(({ agents }) => agents.map(agent => agent.external_id)));
  const others = mandates.filter(({ agent }) => !befallen.has(agent.external_id));
  const all = new Set(world.events.map(event => event.agent?.external_id));
  t.is(new Set(others.map(({ agent }) => agent)).size, all.size - befallen.size);
});
