import test from 'ava';
import { removeExpired } from '#shared/running/retention/run.ts';
import { DAY } from '#shared/values/time.ts';
import { adminOf, settingsOf } from '#test/helpers/admin.ts';
import { event } from '#test/helpers/make.ts';
import { oldAudit } from '#test/helpers/old_audit.ts';
import { world } from '#test/helpers/world.ts';

test('the operator sees how long records are kept, tries a shorter time, sets it and sees it applied', async t => {
  const { services, db, tenant, database, config, person, as } = await world(t, { own_database: true });
  const admin = adminOf(t, settingsOf({ database, config }));
  const owner = await person('owner');
  const show = async () => (await admin.json('retention', 'show', '--org', 'Acme')).data;
  t.deepEqual(
    (await show()).map(({ kind, days, state }: Record<string, unknown>) => [kind, days, state]),
    [
      ['deliveries', null, 'kept'],
      ['findings', null, 'kept'],
      ['screenings', null, 'kept'],
      ['evidence', null, 'kept'],
      ['audit', null, 'kept'],
      ['sessions', 7, 'kept'],
      ['events', null, 'kept'],
    ],
  );
  await oldAudit(db, tenant, [null, null, null], Date.now() - 40 * DAY);

  const set = ['retention', 'set', '--org', 'Acme', '--kind', 'audit', '--days'];
  t.like(await admin.json(...set, '30', '--dry-run'), { kind: 'audit', would_remove: 3, held: 0, complete: true });
  await removeExpired(services, new AbortController().signal);
  t.is((await show())[4].days, null, 'a dry run sets nothing');
  t.like(await admin.json(...set, '30'), { kind: 'audit', days: 30, state: 'waiting', removed: 0 });
  await removeExpired(services, new AbortController().signal);
  t.like((await show())[4], { days: 30, removed: 3, held: 0, removed_total: 3 });
  const { data } = (await owner.get('/v1/audit-log')).body;
  t.like(data[0], { action: 'retention.applied', actor_id: null, target_id: 'audit', after: { days: 30, removed: 3 } });
  t.like(data[1], { action: 'retention.set', before: { days: null }, after: { days: 30 } });
  t.like(await admin.json(...set, 'default'), { days: null, state: 'kept', next_at: null });

  const { body: paid } = await as.post('/v1/events', event());
  const { body: made } = await as.post('/v1/cases', { title: 'Who paid?', event_ids: [paid.id] });
  const hold = ['--org', 'Acme', '--case', made.id];
  t.like(await admin.json('retention', 'hold', ...hold, '--reason', 'a lawsuit'), { case_id: made.id });
  t.like(await admin.error('retention', 'hold', ...hold, '--reason', 'a lawsuit'), { exit: 1, code: 'conflict' });
  t.like((await admin.json('retention', 'holds', '--org', 'Acme')).data, [{ case_id: made.id, reason: 'a lawsuit' }]);
  const erase = ['erase', '--org', 'Acme', '--payee-id', paid.payee_id, '--ground', 'Request 4711'];
  for (const more of [['--dry-run'], []]) t.like(await admin.error(...erase, ...more), { exit: 1, code: 'conflict' });
  t.like(await admin.json('retention', 'release', ...hold), { case_id: made.id });
  t.like(await admin.error('retention', 'release', ...hold), { exit: 1, code: 'not_found' });
});

test('a time that is too short, too long or none, and an unknown kind, are refused', async t => {
  const { database, config } = await world(t, { own_database: true });
  const admin = adminOf(t, settingsOf({ database, config }));
  for (const [kind, days, path] of [
    ['audit', '0', '/days'],
    ['audit', '1.5', '/days'],
    ['audit', 'soon', '/days'],
    ['audit', '36501', '/days'],
    ['sessions', '8', '/days'],
    ['events', '400', '/days'],
    ['alerts', '30', '/kind'],
  ] as const)
    t.like(await admin.error('retention', 'set', '--org', 'Acme', '--kind', kind, '--days', days), {
      exit: 1,
      code: 'invalid_request',
      details: [{ path }],
    });
});
