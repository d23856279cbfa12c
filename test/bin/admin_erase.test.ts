import test from 'ava';
import { adminOf, settingsOf } from '#test/helpers/admin.ts';
import { erasing } from '#test/helpers/erasing.ts';
import { MARK, marked } from '#test/helpers/marked.ts';

const ground = ['--ground', 'Request 4711'];

test('erase counts with --dry-run what it then erases, and the log verifies', async t => {
  const { as, publish, database, config, columnsWith, person } = await erasing(t);
  const { body } = await as.post('/v1/events', marked());
  await publish();
  const admin = adminOf(t, { ...settingsOf({ database, config }), DATA_DIR: config.data_dir });
  const erase = ['erase', '--org', 'Acme', '--owner-id', body.owner_id, ...ground];
  const counts = { events: 1, evidence_values: 2, names: 2, packs: 0, saved_views: 0 };
  t.deepEqual(await admin.json(...erase, '--dry-run'), { id: null, ...counts });
  t.deepEqual((await admin.json('log', 'verify', '--org', 'Acme')).erased, 0);
  const { id, ...erased } = await admin.json(...erase);
  t.regex(id, /^ers_/);
  t.deepEqual(erased, counts);
  t.like(await admin.json('log', 'verify', '--org', 'Acme'), { ok: true, size: 1, erased: 1, first_bad_seq: null });
  await admin.json('erase', '--org', 'Acme', '--payee-id', body.payee_id.toLowerCase(), ...ground);
  t.deepEqual(await columnsWith(MARK), []);
  const { data } = (await (await person('owner')).get('/v1/erasures')).body;
  t.deepEqual(
    data.map(({ subject }: { subject: { kind: string } }) => subject.kind),
    ['payee', 'owner'],
  );
});

test('erase refuses what names nothing, too much, or no ground', async t => {
  const { as, database, config } = await erasing(t);
  await as.post('/v1/events', marked({ payment_id: 'pay_1' }));
  const admin = adminOf(t, settingsOf({ database, config }));
  const unknown = await admin.error('erase', '--org', 'Acme', '--payment-id', 'pay_2', ...ground);
  t.like(unknown, { exit: 1, code: 'not_found' });
  for (const words of [[], ['--payment-id', 'pay_1', '--owner-id', 'own_01ARZ3NDEKTSV4RRFFQ69G5FAV']])
    t.regex(
      (await admin.error('erase', '--org', 'Acme', ...words, ...ground)).message,
      /exactly one of --payment-id, --agent-id/,
    );
  t.is((await admin.type('erase', '--org', 'Acme', '--payment-id', 'pay_1')).code, 2);
});
