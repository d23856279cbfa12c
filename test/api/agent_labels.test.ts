import test, { type ExecutionContext } from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { listAudit } from '#shared/interface/audit_log.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

async function labeled(t: ExecutionContext) {
  const w = await world(t);
  await w.as.post('/v1/events', event());
  const [{ id }] = (await w.as.get('/v1/agents')).body.data;
  const { post } = await w.person('developer');
  return { as: w.as, db: w.db, tenant: w.tenant, path: `/v1/agents/${id}/labels`, person: post };
}
const many = (from: number, count: number) => Array.from({ length: count }, (_, n) => `label-${from + n}`);

test('labels are added and removed; what is there already, or is not there, stays as it is', async t => {
  const { path, person, as } = await labeled(t);
  const first = await person(path, { add: ['b', 'a', 'b'] });
  t.is(first.status, 200);
  t.deepEqual(first.body.labels, ['b', 'a']);
  t.deepEqual((await person(path, { add: ['a', 'c'], remove: ['b', 'never'] })).body.labels, ['a', 'c']);
  t.deepEqual((await person(path, { remove: ['c'], add: [] })).body.labels, ['a']);
  t.deepEqual((await as.get(path.replace('/labels', ''))).body.labels, ['a']);
});

test('an agent has at most 20 labels, after the change', async t => {
  const { path, person } = await labeled(t);
  t.is((await person(path, { add: many(0, 20) })).status, 200);
  const { status, body } = await person(path, { add: ['one-more'] });
  t.is(status, 422);
  t.is(body.error.code, 'unprocessable');
  const swapped = await person(path, { add: ['one-more'], remove: ['label-0'] });
  t.is(swapped.status, 200);
  t.is(swapped.body.labels.length, 20);
});

test('a change that is not sound is refused', async t => {
  const { path, person } = await labeled(t);
  const wrong: [unknown, string][] = [
    [{}, ''],
    [{ add: [], remove: [] }, ''],
    [{ add: ['Upper'] }, '/add/0'],
    [{ add: ['ok', '-dash'] }, '/add/1'],
    [{ add: [''] }, '/add/0'],
    [{ add: ['x'.repeat(65)] }, '/add/0'],
    [{ remove: ['new\nline'] }, '/remove/0'],
    [{ add: many(0, 21) }, '/add'],
    [{ remove: many(0, 21) }, '/remove'],
    [{ add: ['a', 'b'], remove: ['c', 'b'] }, '/remove'],
    [{ add: 'a' }, '/add'],
    [{ add: ['a'], set: ['b'] }, '/set'],
  ];
  for (const [sent, where] of wrong) {
    const { status, body } = await person(path, sent);
    t.is(status, 400, JSON.stringify(sent));
    t.is(body.error.details[0].path, where, JSON.stringify(sent));
  }
  t.is((await person(`/v1/agents/${newId('agt')}/labels`, { add: ['a'] })).status, 404);
});

test('labels are for people: a key may not change them, whatever its scopes', async t => {
  const { path, as } = await labeled(t);
  t.is((await as.post(path, { add: ['a'] })).status, 403);
});

test('people who label an agent at the same moment lose nothing, and each change is in the audit log', async t => {
  const { path, person, db, as, tenant } = await labeled(t);
  await Promise.all(many(0, 10).map(label => person(path, { add: [label] })));
  t.deepEqual((await as.get(path.replace('/labels', ''))).body.labels.toSorted(), many(0, 10));
  const page = { limit: 50, after: null, cursorAfter: () => '' };
  const { data } = await listAudit(db, tenant, { action: 'agent.labeled' }, page);
  t.is(data.length, 10);
  const counts = data.map(({ before, after }) =>
    [before, after].map(labels => Object.values(labels ?? {}).flat().length),
  );
  t.deepEqual(
    counts.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)),
    Array.from({ length: 10 }, (_, n) => [n, n + 1]),
  );
});
