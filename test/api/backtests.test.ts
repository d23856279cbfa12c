import test, { type ExecutionContext } from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { world } from '#test/helpers/world.ts';

const path = '/v1/detectors/velocity_count/backtest';
const start = Date.parse('2026-10-01T00:00:00.000Z');
const time = { from: timestamp(start), to: timestamp(start + DAY) };

const begun = async (t: ExecutionContext) => {
  const w = await world(t);
  return { ...w, ada: await w.person('developer') };
};

test('a back-test is asked for by a person, queued, read and listed', async t => {
  const { as, ada, person } = await begun(t);
  const { status, body } = await ada.post(path, { ...time, params: { per_minute: 30 } });
  t.is(status, 202);
  t.like(body, {
    detector: 'velocity_count',
    ...time,
    state: 'queued',
    progress: 0,
    events: 0,
    findings: 0,
    alerts_per_10000_events: null,
    sample: [],
    truncated: false,
    error: null,
    created_by: ada.user.id,
    started_at: null,
    finished_at: null,
  });
  const { defaults } = (await as.get('/v1/detectors/velocity_count')).body;
  t.deepEqual(body.params, { ...defaults, per_minute: 30 });
  t.deepEqual((await as.get(`/v1/backtests/${body.id.toLowerCase()}`)).body, body);
  const other = (await ada.post('/v1/detectors/spend_velocity/backtest', time)).body;
  const { sample: _, ...listed } = body;
  t.deepEqual((await as.get('/v1/backtests?detector=velocity_count')).body, { data: [listed], next_cursor: null });
  const { data } = (await as.get('/v1/backtests')).body;
  t.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [other.id, body.id],
  );
  const [entry] = (await (await person('admin')).get('/v1/audit-log?action=backtest.created')).body.data;
  t.like(entry, { target_id: other.id, actor_id: ada.user.id });
});

test('without parameters a back-test judges as the detector is set now', async t => {
  const { ada } = await begun(t);
  await ada.put('/v1/detectors/velocity_count', { params: { per_minute: 33 } });
  t.is((await ada.post(path, time)).body.params.per_minute, 33);
  const given = (await ada.post(path, { ...time, params: { per_hour: 300 } })).body.params;
  t.deepEqual([given.per_minute, given.per_hour], [21, 300], 'as PUT would set it');
});

test('a time that is none or too long, and parameters that are none, are refused', async t => {
  const { as, ada } = await begun(t);
  const refused: [object, number, string][] = [
    [{ from: time.to, to: time.from }, 422, '/to'],
    [{ from: time.from, to: time.from }, 422, '/to'],
    [{ from: time.from, to: timestamp(start + 400 * DAY + 1) }, 422, '/to'],
    [{ from: 'yesterday', to: time.to }, 400, '/from'],
    [{ from: 1, to: time.to }, 400, '/from'],
    [{ from: time.from }, 400, '/to'],
    [{ ...time, params: { per_minut: 1 } }, 400, '/params/per_minut'],
    [{ ...time, params: { per_minute: [] } }, 400, '/params/per_minute'],
    [{ ...time, shadow: true }, 400, '/shadow'],
  ];
  for (const [body, status, where] of refused) {
    const reply = await ada.post(path, body);
    t.is(reply.status, status, JSON.stringify(body));
    t.is(reply.body.error.details[0].path, where, JSON.stringify(body));
  }
  t.is((await ada.post('/v1/detectors/no_such/backtest', time)).status, 404);
  t.is((await as.post(path, time)).status, 403, 'a key cannot');
  t.deepEqual((await as.get('/v1/backtests')).body.data, []);
  t.is((await ada.post(path, { from: time.from, to: timestamp(start + 400 * DAY) })).status, 202);
});

test('five back-tests of an organization may be unfinished, however they are asked for', async t => {
  const { as, ada } = await begun(t);
  const replies = await Promise.all(Array.from({ length: 8 }, () => ada.post(path, time)));
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [202, 202, 202, 202, 202, 409, 409, 409]);
  t.is((await as.get('/v1/backtests')).body.data.length, 5);
  const again = { 'idempotency-key': 'b-1' };
  t.is((await ada.post(path, time, again)).body.error.code, 'conflict');
});

test('a back-test of another organization is not there', async t => {
  const { ada, client, key, organization } = await begun(t);
  const { id } = (await ada.post(path, time)).body;
  const them = client((await key((await organization('Rival')).id)).key);
  t.deepEqual((await them.get('/v1/backtests')).body.data, []);
  const foreign = await them.get(`/v1/backtests/${id}`);
  t.is(foreign.status, 404);
  t.deepEqual(foreign.body.error, (await them.get(`/v1/backtests/${newId('bkt')}`)).body.error);
});
