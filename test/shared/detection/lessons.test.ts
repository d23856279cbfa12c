import test from 'ava';
import { applyLessons, lessonsOf, type Taught } from '#shared/detection/conduct/lessons.ts';
import type { Look } from '#shared/detection/conduct/look.ts';
import { type ClosedCache, loadLessons, MOST_OF_PEERS } from '#shared/detection/load/load_lessons.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { HOUR } from '#shared/values/time.ts';
import { event as made } from '#test/helpers/make.ts';
import { noon } from '#test/helpers/play.ts';
import { world } from '#test/helpers/world.ts';

const event = { agent_id: 'agt_1', owner_id: 'own_1', occurred_at: noon };

const look = (detector: string, subject = ''): Look => ({
  detector,
  group: 'money',
  expected: 0.01,
  per_month: 100,
  tell: () => ({ title: 'Much', reason: 'much', subject, payments: [], among: 'payments' }),
});

const taught = (more: Partial<Taught>): Taught => ({
  detector: 'spend_velocity',
  agent_id: 'agt_1',
  owner_id: 'own_1',
  aspect: 'hours:12-18',
  factor: 3,
  peers_factor: 1.5,
  dismissals: 1,
  resolutions: 0,
  ...more,
});

/** By what lessons multiply what is expected. */
const weightOf = (lessons: Taught[], seen = look('spend_velocity'), of = event) => {
  const [weighed] = applyLessons([seen], of, lessonsOf(lessons));
  return Number(((weighed?.expected ?? 0) / seen.expected).toFixed(3));
};

test('a lesson weighs for its agent, less for the other agents of its owner, and for nobody else', t => {
  t.is(weightOf([taught({})]), 3);
  t.is(weightOf([taught({ agent_id: 'agt_2' })]), 1.5);
  t.is(weightOf([taught({ agent_id: 'agt_2', owner_id: 'own_2' })]), 1);
  t.is(weightOf([taught({ agent_id: '', owner_id: '' })]), 3, 'whichever agent');
  t.is(weightOf([taught({}), taught({ agent_id: 'agt_2' })]), 4.5);
});

test('a lesson weighs for what is alike: the detector, and the payee or the time of day', t => {
  t.is(weightOf([taught({ detector: 'velocity_count' })]), 1);
  t.is(weightOf([taught({})], look('spend_velocity'), { ...event, occurred_at: noon + 6 * HOUR }), 1);
  t.is(weightOf([taught({})], look('spend_velocity'), { ...event, occurred_at: noon + 6 * HOUR - 1 }), 3);
  const ofPayee = taught({ detector: 'price_drift', aspect: 'payee:pye_1' });
  t.is(weightOf([ofPayee], look('price_drift', 'pye_1')), 3);
  t.is(weightOf([ofPayee], look('price_drift', 'pye_2')), 1);
});

test('many lessons together stay within bounds, and those that cancel out are not spoken of', t => {
  const many = Array.from({ length: 9 }, (_, index) =>
    taught({ agent_id: `agt_${index}`, factor: 27, peers_factor: 3.375 }),
  );
  t.is(weightOf(many), 27);
  t.is(weightOf(many.map(each => ({ ...each, factor: 0.111, peers_factor: 0.444 }))), 0.111);
  const [same] = applyLessons([look('spend_velocity')], event, lessonsOf([taught({ factor: 1, resolutions: 1 })]));
  t.is(same?.lesson, undefined);
  const [twice] = applyLessons([look('spend_velocity')], event, lessonsOf([taught({ factor: 9, dismissals: 2 })]));
  t.is(twice?.lesson, 'People dismissed 2 similar alerts for this agent, so this counts as 9 times as common.');
});

test('where nobody taught anything, nothing is changed', t => {
  const looks = [look('spend_velocity'), look('amount_outlier', 'pye_1')];
  t.deepEqual(applyLessons(looks, event, lessonsOf([])), looks);
});

test('of what the agents of an owner taught in years, each its own counts and the latest 200 for one another', async t => {
  const { as, db, tenant } = await world(t);
  const { body } = await as.post('/v1/events', made());
  const owner_id: string = body.owner_id;
  await db.query(sql.unsafe`
    insert into lessons (org_id, environment, id, detector, agent_id, owner_id, aspect, dismissals, resolutions, last_at)
    select ${tenant.org_id}, ${tenant.environment}, 'lsn_' || n, 'spend_velocity', 'agt_' || n, ${owner_id}, 'hours:12-18', 1, 0,
      now() - n * interval '1 hour'
    from generate_series(1, 1000) n`);
  const event = { agent_id: 'agt_900', owner_id, occurred_at: noon } as DetectionEvent;
  const { by_agent, by_owner } = await loadLessons(db, tenant, [event, { ...event, agent_id: 'agt_7' }]);
  const ids = by_owner.get(owner_id)?.map(({ agent_id }) => agent_id) ?? [];
  const latest = Array.from({ length: MOST_OF_PEERS }, (_, index) => `agt_${index + 1}`);
  t.deepEqual(ids.toSorted(), latest.toSorted(), 'not what is read for another agent of the range');
  t.is(by_agent.get('agt_900')?.length, 1, 'its own, however old');
});

test('what is remembered of closed alerts counts, also where another log has it forgotten meanwhile', async t => {
  const { db, tenant } = await world(t);
  await db.query(sql.unsafe`
    insert into lessons (org_id, environment, id, detector, agent_id, owner_id, aspect, dismissals, resolutions, last_at)
    select ${tenant.org_id}, ${tenant.environment}, 'lsn_' || n, 'spend_velocity', 'agt_' || n, 'own_1', 'hours:12-18', 1, 0, now()
    from generate_series(1, 2) n`);
  const known: ClosedCache = new Map();
  const first = { ...event, agent_id: 'agt_1' } as DetectionEvent;
  await loadLessons(db, tenant, [first], known);
  for (const [key, each] of known)
    known.set(key, { ...each, closed: { ...each.closed, dismissed: new Set(['pay_1']) } });
  let reads = 0;
  const forgetful: Db = {
    ...db,
    any: query => {
      reads += 1;
      if (reads === 2) known.clear();
      return db.any(query);
    },
  };
  const { closed } = await loadLessons(forgetful, tenant, [first, { ...first, agent_id: 'agt_2' }], known);
  t.deepEqual([...(closed.get('agt_1')?.dismissed ?? [])], ['pay_1']);
  t.is(reads, 2, 'the lessons, and what was closed of the other agent');
});
