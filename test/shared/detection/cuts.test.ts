import test from 'ava';
import { z } from 'zod';
import { createAssessor } from '#shared/assessment/assessor.ts';
import { createReader } from '#shared/assessment/read_ahead.ts';
import { sql } from '#shared/platform/db.ts';
import { isOf } from '#shared/platform/spread.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { type World, world } from '#test/helpers/world.ts';
import { createHandler as createRecheckHandler } from '#workers/handlers/recheck.ts';
import { familyWorld } from '#test/worlds/families/world.ts';
import { type Dice, diceOf, low, scriptOf } from './script.ts';

/** Makes processes: each knows nothing, and may read ahead. */
function processOf({ services, db }: World, readsAhead: boolean) {
  const assessor = createAssessor(services);
  return { cache: createDetectionCache(), assessor, ...(readsAhead && { reader: createReader(db, assessor) }) };
}

type Step = () => { limit: number; most_cost?: number; process: ReturnType<typeof processOf> };

/** Sends a script to a new organization, and takes it through detection step by step. Answers with all that came of it. */
async function resultsOf(w: World, script: readonly object[], name: string, step: Step, settings = low) {
  const org = await w.organization(name);
  const of = { org_id: org.id, environment: w.tenant.environment };
  for (const [detector, params] of Object.entries(settings))
    await saveSetting(w.db, of, detector, { ...presetOf({}), params }, w.services.now());
  const client = w.client((await w.key(org.id)).key);
  for (let from = 0; from < script.length; from += 1_000) {
    const { body } = await client.post('/v1/events', { events: script.slice(from, from + 1_000) });
    if (body.rejected > 0)
      throw new Error(JSON.stringify(body.results.find((result: { error?: object }) => result.error)));
  }
  for (let more = true; more;) {
    const { process, ...bounds } = step();
    const analyzed = await analyzeRange(w.db, of, { ...bounds, detectors, ...process, now: w.services.now });
    if (analyzed && analyzed.failures.length > 0) throw new Error(JSON.stringify(analyzed.failures));
    more = (analyzed?.events ?? 0) > 0;
  }
  const later = { ...w.services, now: () => w.services.now() + 2 * MINUTE };
  await createRecheckHandler(later, new AbortController().signal)(of);
  return { alerts: await alertsOf(w, of), kept: await keptOf(w, of) };
}

const Line = z.object({ line: z.string() });

/** What an incident is called; of alerts that are equally strong the one of a payee leads whose id is drawn later, which differs from one organization to the next. */
const leads = sql.fragment`(select case when count(*) = 1 then i.lead_title end from alerts l
  where l.org_id = i.org_id and l.incident_id = i.id and l.score = i.lead_score)`;

/** Alerts, and what is told by them, without what differs from one organization to the next. */
async function alertsOf({ db }: World, { org_id }: Tenant): Promise<string[]> {
  const lines = await db.anyFirst(sql.type(Line)`
    select concat_ws(' | ', a.detector, g.external_id, coalesce(y.key, a.subject), a.score, a.severity, a.title, a.explanation, ${leads}, i.first_at,
      (select string_agg(e.event_id || case when e.counted then '+' else '' end, ' ' order by e.chain_seq) from alert_events e where e.org_id = a.org_id and e.alert_id = a.id)) as line
    from alerts a
    join agents g on g.org_id = a.org_id and g.id = a.agent_id
    join incidents i on i.org_id = a.org_id and i.id = a.incident_id
    left join payees y on y.org_id = a.org_id and y.id = a.subject
    where a.org_id = ${org_id} order by 1`);
  return lines.map(line => line.replaceAll(/pye_\w+/g, 'pye'));
}

/** What detection keeps for later. */
const keptOf = ({ db }: World, { org_id }: Tenant) =>
  db.anyFirst(sql.type(Line)`
    select concat_ws(' ', 'hour', g.external_id, h.hour, h.payments, h.spend_usd_micro) as line
    from hours_of_agents h join agents g on g.number = h.agent where g.org_id = ${org_id} and ${isOf('h', org_id)}
    union all
    select concat_ws(' ', 'payee', g.external_id, y.key, p.first_seen_at, p.first_seq)
    from agent_payees p join agents g on g.org_id = p.org_id and g.id = p.agent_id
    join payees y on y.org_id = p.org_id and y.id = p.payee_id where p.org_id = ${org_id}
    union all
    select concat_ws(' ', 'country', g.external_id, c.country, c.first_seen_at, c.first_seq)
    from agent_countries c join agents g on g.org_id = c.org_id and g.id = c.agent_id where c.org_id = ${org_id}
    union all
    select concat_ws(' ', i.identity, y.key, i.first_seen_at, i.first_seq)
    from payee_identities i join payees y on y.org_id = i.org_id and y.id = i.payee_id where i.org_id = ${org_id}
    union all
    select concat_ws(' ', 'total', y.key, t.event_count, t.agent_count)
    from payee_totals t join payees y on y.org_id = t.org_id and y.id = t.payee_id where t.org_id = ${org_id}
    union all
    select concat_ws(' ', 'incident', g.external_id, ${leads}, i.lead_score, i.detectors, i.alert_count, i.agent_count, i.event_count,
      i.amount_usd_micro, i.first_at, i.last_at, i.episode_from, (select string_agg(p.agent_id, ' ') from incident_agents p
        where p.org_id = i.org_id and p.incident_id = i.id and p.agent_id is distinct from i.agent_id))
    from incidents i left join agents g on g.org_id = i.org_id and g.id = i.agent_id where i.org_id = ${org_id}
    order by 1`);

/** Ranges of any length, taken by one of two processes, or by one that has just started. */
function atRandom(w: World, dice: Dice): Step {
  const processes = [processOf(w, true), processOf(w, false)];
  return () => ({
    limit: [1, 3, 7, 20, 25, 60, 1_000][dice(7)] ?? 1,
    most_cost: [1, 15, 20, 60, Infinity][dice(5)] ?? 1,
    process: (dice(3) > 0 && processes[dice(2)]) || processOf(w, false),
  });
}

const differences = (given: readonly string[], expected: readonly string[]) => [
  ...given.filter(line => !expected.includes(line)).map(line => `- ${line}`),
  ...expected.filter(line => !given.includes(line)).map(line => `+ ${line}`),
];

const now = Date.UTC(2026, 10, 20, 12);
const start = now - 6 * HOUR;

/** More of them were tried by hand, and longer scripts: of 700 and of 2,400 events. */
const seeds = [17, 21, 35];

test('whatever is sent, what is told of it does not depend on how the log is cut or who takes the next part', async t => {
  const w = await world(t, { own_database: true, now: () => now });
  const told = new Set<string>();
  for (const seed of seeds) {
    const dice = diceOf(seed);
    const script = scriptOf(dice, 300, start);
    const whole = processOf(w, false);
    const expected = await resultsOf(w, script, `whole ${seed}`, () => ({ limit: 1_000, process: whole }));
    const cut = await resultsOf(w, script, `cut ${seed}`, atRandom(w, dice));
    t.deepEqual(differences(cut.alerts, expected.alerts), [], `seed ${seed}`);
    t.deepEqual(differences(cut.kept, expected.kept), [], `seed ${seed}`);
    for (const alert of expected.alerts) told.add(alert.split(' ')[0] ?? '');
  }
  for (const detector of [
    ...Object.keys(low),
    'duplicate_payment',
    'lookalike_wallet',
    'payee_substitution',
    'status_conflict',
  ])
    t.true(told.has(detector), detector);
});

/** What agents do that are drawn at random, in a month that is sent at once, while nobody has set any threshold. */
test('nor does what is told of conduct that is rare', async t => {
  const w = await world(t, { own_database: true, now: () => now });
  const script = [...familyWorld(14, 'backfill', now).events()].map(({ input }) => input).slice(0, 2_500);
  const whole = processOf(w, false);
  const expected = await resultsOf(w, script, 'whole', () => ({ limit: 1_000, process: whole }), {});
  const dice = diceOf(1);
  const step = atRandom(w, dice);
  const cut = await resultsOf(w, script, 'cut', () => ({ ...step(), limit: [7, 60, 400, 1_000][dice(4)] ?? 7 }), {});
  t.deepEqual(differences(cut.alerts, expected.alerts), []);
  t.true(expected.alerts.some(line => line.startsWith('spend_velocity')));
});
