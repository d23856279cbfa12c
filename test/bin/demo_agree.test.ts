import test from 'ava';
import { createClient } from '#api/client/client.ts';
import { agree, withIds } from '#bin/demo/agree.ts';
import { generate } from '#bin/demo/generate.ts';
import { readAlerts, replay } from '#bin/demo/replay.ts';
import { score } from '#bin/demo/score.ts';
import { readVerdicts } from '#bin/demo/verdicts.ts';
import { world } from '#test/helpers/world.ts';

/** The events of these agents, as they are sent. */
const eventsOf = ({ events }: ReturnType<typeof generate>, agents: ReadonlySet<string>) =>
  events.filter(event => agents.has(event.agent?.external_id ?? ''));

test('mandates are made for the agents whose events come later, and a named one is found under its new id', async t => {
  const { services, tenant, api, full, analyze } = await world(t, { own_database: true });
  const made = generate(1, Date.now());
  const ids = await agree(services, tenant, made.agreed);
  t.is(ids.size, made.agreed.mandates.length + made.agreed.sources.length);
  t.is(new Set(ids.values()).size, ids.size);

  const labels = made.labels.filter(({ scenario }) => /^Mandate: (payee|expired)$/.test(scenario));
  const agents = new Set(labels.map(({ agents: [agent] }) => agent.external_id));
  const events = withIds(eventsOf(made, agents), ids);
  const named = events.filter(event => event.mandate_id);
  t.true(named.length > 0 && named.every(event => [...ids.values()].includes(event.mandate_id ?? '')));

  const client = createClient({ url: api.address, key: full.key });
  await replay(client, events);
  await analyze();
  const { found, missed } = score({ ...made, events, labels }, await readAlerts(client));
  t.deepEqual({ found, missed }, { found: 2, missed: 0 });
});

test('the key that signs AP2 mandates is trusted from the beginning, and the day’s verdicts are counted', async t => {
  const { services, tenant, api, full, analyze } = await world(t, { own_database: true });
  const made = generate(2, Date.now());
  const ids = await agree(services, tenant, made.agreed);
  const labels = made.labels.filter(({ scenario }) => scenario === 'Replayed AP2 mandate');
  const events = withIds(eventsOf(made, new Set(labels.map(({ agents: [agent] }) => agent.external_id))), ids);

  const client = createClient({ url: api.address, key: full.key });
  await replay(client, events);
  await analyze();
  const { verification, mandate_evaluation } = await readVerdicts(client, 0);
  const proven = events.filter(event => event.evidence).length;
  t.deepEqual(verification, { verified: proven - 1, failed: 1, inconclusive: 0 });
  t.true(mandate_evaluation.compliant > 0, 'the open mandate was found in the evidence');
  t.is(mandate_evaluation.breach + mandate_evaluation.unresolved, 0);
});
