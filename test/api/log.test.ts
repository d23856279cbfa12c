import { hash } from 'node:crypto';
import test from 'ava';
import { openCheckpoint } from '#shared/ledger/checkpoint_text.ts';
import { provesGrowth, rootOfPath } from '#shared/ledger/merkle.ts';
import { noteVerification } from '#shared/ledger/verify/noted.ts';
import { eventId } from '#test/helpers/make.ts';
import { signedLog } from '#test/helpers/signed_log.ts';

const bytes = (hashes: string[]) => hashes.map(each => Buffer.from(each, 'hex'));

test('a log says its name, its size, how far it was analyzed, and its newest checkpoint', async t => {
  const { as, send, publish, analyze, tenant } = await signedLog(t);
  const empty = (await as.get('/v1/log')).body;
  t.deepEqual(empty, {
    origin: `127.0.0.1/${tenant.org_id}/sandbox`,
    size: 0,
    analyzed_seq: 0,
    archived_seq: 0,
    checkpoint: null,
    last_verified: null,
    last_failed: null,
  });
  await send(3);
  t.deepEqual((await as.get('/v1/log')).body, { ...empty, size: 3 });
  await analyze();
  const checkpoint = await publish();
  await send(1);
  t.deepEqual((await as.get('/v1/log')).body, { ...empty, size: 4, analyzed_seq: 3, checkpoint });
});

test('the ETag of the log moves when events arrive, are analyzed, and are signed', async t => {
  const { as, send, publish, analyze } = await signedLog(t);
  const tags: (string | null)[] = [];
  const look = async () => tags.push((await as.get('/v1/log')).headers.get('etag'));
  await look();
  for (const step of [() => send(1), analyze, publish]) {
    await step();
    await look();
    await look();
  }
  t.is(new Set(tags).size, 4);
});

test('with the proof of an event, its checkpoint and the published key anybody can check that it is in the log', async t => {
  const { as, client, send, publish } = await signedLog(t);
  const ids = await send(300);
  await publish();
  await send(5);
  await publish();
  const { keys } = (await client().get('/v1/keys.json')).body;
  const { origin } = (await as.get('/v1/log')).body;
  for (const [index, event_id] of [...ids.entries()].filter(([each]) => [0, 1, 255, 256, 299].includes(each))) {
    for (const query of ['', '&size=300']) {
      const { status, body } = await as.get(`/v1/log/proof?event_id=${event_id}${query}`);
      t.is(status, 200);
      const tree_size = query ? 300 : 305;
      t.like(body, { event_id, chain_seq: index + 1, leaf_index: index, tree_size });
      t.is(body.leaf_hash, hash('sha256', Buffer.concat([Buffer.of(0), Buffer.from(body.leaf)])));
      const stored = (await as.get(`/v1/events/${event_id}`)).body;
      t.is(stored.event_digest, JSON.parse(body.leaf).event_digest);
      const root = rootOfPath(index, tree_size, Buffer.from(body.leaf_hash, 'hex'), bytes(body.hashes));
      t.is(root?.toString('hex'), body.checkpoint.root_hash);
      t.truthy(openCheckpoint(body.checkpoint, origin, keys));
    }
  }
});

test('an event that no checkpoint covers yet is not proven, and the answer says when to ask again', async t => {
  const { as, send, publish } = await signedLog(t);
  const [early] = await send(1);
  for (let round = 0; round < 2; round += 1) {
    const [late] = round === 0 ? [early] : await send(1);
    const { status, body, headers } = await as.get(`/v1/log/proof?event_id=${late}`);
    t.deepEqual([status, body.error.code, headers.get('retry-after')], [409, 'not_yet_published', '1']);
    await publish();
    t.is((await as.get(`/v1/log/proof?event_id=${late}`)).status, 200);
  }
});

test('a proof is asked for by an event that is there and a size that was signed', async t => {
  const { as, send, publish } = await signedLog(t);
  const [first] = await send(2);
  await publish();
  const [last] = await send(2);
  await publish();
  const ask = async (query: string) => {
    const { status, body } = await as.get(`/v1/log/proof?${query}`);
    return [status, body.error?.code, body.error?.details?.[0]?.path, body.error?.details?.[0]?.code];
  };
  t.deepEqual(await ask(`event_id=${eventId(Date.now())}`), [404, 'not_found', undefined, undefined]);
  t.deepEqual(await ask(`event_id=${first}&size=3`), [400, 'invalid_request', 'query.size', 'no_checkpoint']);
  t.deepEqual(await ask(`event_id=${last}&size=2`), [400, 'invalid_request', 'query.size', 'too_small']);
  t.deepEqual(await ask(`size=2`), [400, 'invalid_request', 'query.event_id', 'required']);
  t.is((await ask(`event_id=${String(first).toLowerCase()}&size=2`))[0], 200);
  for (const size of [
    '-1',
    '1.5',
    '1e3',
    '0x2',
    '02',
    '',
    ' 2',
    '٢',
    '9'.repeat(16),
    '9'.repeat(400),
    'Infinity',
    'NaN',
  ])
    t.deepEqual(
      (await ask(`event_id=${first}&size=${encodeURIComponent(size)}`)).slice(0, 3),
      [400, 'invalid_request', 'query.size'],
      size,
    );
  t.is((await ask(`event_id=${first}&size=999999999999999`))[3], 'no_checkpoint');
});

test('a consistency proof shows that the log of one size is the beginning of that of another', async t => {
  const { as, send, publish } = await signedLog(t);
  const roots = new Map<number, string>();
  for (const count of [100, 156, 1, 44]) {
    await send(count);
    const checkpoint = await publish();
    roots.set(checkpoint?.size ?? 0, checkpoint?.root_hash ?? '');
  }
  for (const [from, from_root] of roots)
    for (const [to, to_root] of roots) {
      const { status, body } = await as.get(`/v1/log/consistency?from=${from}&to=${to}`);
      t.is(status, from > to ? 400 : 200);
      if (from > to) continue;
      t.like(body, { from, to });
      const [before, after] = bytes([from_root, to_root]);
      if (before && after) t.true(provesGrowth({ from, to, from_root: before, to_root: after }, bytes(body.hashes)));
    }
  t.deepEqual((await as.get('/v1/log/consistency?from=0&to=7')).body, { from: 0, to: 7, hashes: [] });
  t.is((await as.get('/v1/log/consistency?from=3&to=7')).status, 200, 'sizes that were never signed are proven too');
  for (const [query, name] of [
    ['from=1&to=302', 'to'],
    ['from=7&to=3', 'from'],
    ['from=1', 'to'],
    ['to=1', 'from'],
    ['from=-1&to=3', 'from'],
    [`from=1&to=${'9'.repeat(30)}`, 'to'],
    ['from=999999999999999&to=5', 'from'],
  ]) {
    const { status, body } = await as.get(`/v1/log/consistency?${query}`);
    t.deepEqual([status, body.error.details[0].path], [400, `query.${name}`], query);
  }
});

test('checkpoints are listed newest first, page by page', async t => {
  const { as, send, publish } = await signedLog(t);
  const made = [];
  for (let round = 0; round < 3; round += 1) {
    await send(2);
    made.unshift(await publish());
  }
  const { data, next_cursor } = (await as.get('/v1/log/checkpoints?limit=2')).body;
  t.deepEqual(data, made.slice(0, 2));
  t.deepEqual((await as.get(`/v1/log/checkpoints?limit=2&cursor=${next_cursor}`)).body, {
    data: made.slice(2),
    next_cursor: null,
  });
});

test('a log, its proofs and its verification are an organization’s own', async t => {
  const { send, publish, client, key, organization } = await signedLog(t);
  const [id] = await send(3);
  await publish();
  const them = client((await key((await organization('Rival')).id)).key);
  t.like((await them.get('/v1/log')).body, { size: 0, checkpoint: null });
  t.is((await them.get(`/v1/log/proof?event_id=${id}`)).status, 404);
  t.is((await them.get('/v1/log/consistency?from=1&to=3')).status, 400);
  t.deepEqual((await them.post('/v1/log/verify', {})).body, {
    ok: true,
    checked: 0,
    archived: 0,
    erased: 0,
    first_bad_seq: null,
  });
});

test('verifying a log says that it is sound, or where and why it is not', async t => {
  const { as, send, publish, asOwner, person } = await signedLog(t);
  await send(6);
  await publish();
  await send(4);
  const developer = await person('developer');
  t.deepEqual((await developer.post('/v1/log/verify', {})).body, {
    ok: true,
    checked: 10,
    archived: 0,
    erased: 0,
    first_bad_seq: null,
  });
  t.deepEqual((await as.post('/v1/log/verify', { from_seq: 3, to_seq: 8 })).body, {
    ok: true,
    checked: 6,
    archived: 0,
    erased: 0,
    first_bad_seq: null,
  });
  t.deepEqual((await as.post('/v1/log/verify', { from_seq: 10 })).body, {
    ok: true,
    checked: 1,
    archived: 0,
    erased: 0,
    first_bad_seq: null,
  });
  await asOwner(`update events set status = 'failed' where chain_seq = 5`);
  for (const [body, checked] of [
    [{}, 4],
    [{ from_seq: 3, to_seq: 8 }, 2],
    [{ from_seq: 5, to_seq: 5 }, 0],
  ] as const) {
    const answer = (await as.post('/v1/log/verify', body)).body;
    const reason = 'Event 5 is not as it was stored: its column status is not what its input says.';
    t.deepEqual(answer, { ok: false, checked, archived: 0, erased: 0, first_bad_seq: 5, reason }, JSON.stringify(body));
  }
  t.true((await as.post('/v1/log/verify', { from_seq: 6 })).body.ok);
});

test('a part to verify must be in the log, in order, and not too long', async t => {
  const { as, send, asOwner } = await signedLog(t);
  await send(2);
  const refused = async (body: unknown) => {
    const { status, body: answer } = await as.post('/v1/log/verify', body);
    return [status, answer.error?.details?.[0]?.path];
  };
  for (const [body, status, path] of [
    [{ to_seq: 3 }, 422, '/to_seq'],
    [{ from_seq: 3 }, 422, '/from_seq'],
    [{ from_seq: 2, to_seq: 1 }, 422, '/from_seq'],
    [{ from_seq: 0 }, 400, '/from_seq'],
    [{ from_seq: 1.5 }, 400, '/from_seq'],
    [{ to_seq: '2' }, 400, '/to_seq'],
    [{ to_seq: 1e300 }, 400, '/to_seq'],
    [{ to: 2 }, 400, '/to'],
  ] as const)
    t.deepEqual(await refused(body), [status, path], JSON.stringify(body));
  await asOwner('update event_logs set size = 100002');
  t.deepEqual(await refused({}), [422, '/to_seq']);
  t.deepEqual(await refused({ from_seq: 2, to_seq: 100_002 }), [422, '/to_seq']);
  t.is((await as.post('/v1/log/verify', { from_seq: 3 })).body.first_bad_seq, 3);
});

test('the public keys are for everybody, and polled cheaply', async t => {
  const { client, send, publish } = await signedLog(t);
  t.deepEqual((await client().get('/v1/keys.json')).body, { keys: [] });
  await send(1);
  await publish();
  const { body, headers } = await client().get('/v1/keys.json');
  t.is(body.keys.length, 1);
  t.deepEqual(Object.keys(body.keys[0]).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  t.is((await client().get('/v1/keys.json', { 'if-none-match': headers.get('etag') ?? '' })).status, 304);
});

test('the log says who verified it last, and whether it was intact', async t => {
  const { as, full, person, send } = await signedLog(t);
  await send(2);
  const tag = (await as.get('/v1/log')).headers.get('etag');
  await as.post('/v1/log/verify', {});
  t.like((await as.get('/v1/log')).body.last_verified, { by: full.id, from_seq: 1, to_seq: 2, ok: true });
  t.not((await as.get('/v1/log')).headers.get('etag'), tag);
  const ada = await person('developer');
  await ada.post('/v1/log/verify', { from_seq: 2 });
  t.like((await as.get('/v1/log')).body.last_verified, { by: ada.user.id, from_seq: 2, to_seq: 2 });
});

test('a verification that failed is told until the same events are found intact', async t => {
  const { as, db, tenant, send } = await signedLog(t);
  await send(3);
  const failed = { by: 'usr_1', from_seq: 2, to_seq: 3, first_bad_seq: 2, reason: 'Its leaf is another.' };
  await noteVerification(db, tenant, failed, Date.now());
  await as.post('/v1/log/verify', { from_seq: 3 });
  const { last_verified, last_failed } = (await as.get('/v1/log')).body;
  t.like(last_verified, { from_seq: 3, to_seq: 3, ok: true });
  t.like(last_failed, failed);
  await as.post('/v1/log/verify', {});
  t.is((await as.get('/v1/log')).body.last_failed, null);
});

test('a failed verification of part of what failed before does not narrow what must be found intact', async t => {
  const { as, db, tenant, send } = await signedLog(t);
  await send(3);
  const failed = { by: 'usr_1', from_seq: 1, to_seq: 3, first_bad_seq: 2, reason: 'Its leaf is another.' };
  await noteVerification(db, tenant, failed, Date.now());
  await noteVerification(db, tenant, { ...failed, from_seq: 2, to_seq: 2 }, Date.now());
  await as.post('/v1/log/verify', { from_seq: 2, to_seq: 2 });
  t.like((await as.get('/v1/log')).body.last_failed, failed);
  await as.post('/v1/log/verify', {});
  t.is((await as.get('/v1/log')).body.last_failed, null);
});
