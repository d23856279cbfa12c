import { readFile, stat, truncate } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { eventLines, ingestDesk } from './ingest_desk.ts';

test('what is refused is written down with its place and reason, once, and the rest is sent', async t => {
  const { put, ingest, rejects, stored } = await ingestDesk(t);
  const file = await put('a.ndjson', `${eventLines(2)}{"id":"","n":1.0}\nnonsense\n${eventLines(2, 2)}{"id" 7}\n`);
  t.like(await ingest(file), { accepted: 4, rejected: 3 });
  await ingest(file);
  const refused = await rejects('a.ndjson.ingest-rejects.ndjson');
  t.is(refused.length, 3);
  t.like(refused[2], { line: 7, error: { code: 'malformed_json' }, text: '{"id" 7}' });
  t.like(refused[0], {
    file,
    line: 3,
    number: 3,
    status: 'rejected',
    event: { id: '', n: 1 },
    error: { details: [{ path: '/id' }] },
  });
  t.like(refused[1], { file, line: 4, number: 4, error: { code: 'malformed_json' }, text: 'nonsense' });
  t.is(stored.size, 4);
});

/** A sending with two refusals, as if it had been killed after it wrote these, and before it saved that it had. */
async function killedDesk(t: ExecutionContext) {
  const desk = await ingestDesk(t);
  const file = await desk.put('a.ndjson', `${eventLines(3)}nonsense 1\nnonsense 2\n`);
  const shared = desk.path('shared');
  const send = (...options: string[]) => desk.ingest(file, '--rejects', shared, ...options);
  await send();
  const state = JSON.parse(await readFile(desk.path('a.ndjson.ingest-state.json'), 'utf8'));
  const before = { ...state, events: 3, finished: false, totals: { ...state.totals, rejected: 0 } };
  await desk.put('a.ndjson.ingest-state.json', JSON.stringify(before));
  const refusedTexts = async () => (await desk.rejects('shared')).map(each => each.text);
  return { ...desk, send, shared, refusedTexts };
}

test('what a run had written of refusals beyond its state is not there twice, wherever a kill cut it off', async t => {
  const { send, shared, refusedTexts } = await killedDesk(t);
  const whole = await readFile(shared, 'utf8');
  t.like(await send(), { accepted: 3, rejected: 2 });
  t.is(await readFile(shared, 'utf8'), whole);
  for (const missing of [1, 2, 20, whole.length - 5]) {
    const again = await killedDesk(t);
    await truncate(again.shared, (await stat(again.shared)).size - missing);
    t.like(await again.send(), { accepted: 3, rejected: 2 });
    t.deepEqual(await again.refusedTexts(), ['nonsense 1', 'nonsense 2'], `${missing}`);
  }
  t.deepEqual(await refusedTexts(), ['nonsense 1', 'nonsense 2']);
});

test('what another sending wrote to the same file of refusals stays when the first one goes on', async t => {
  const { send, put, ingest, shared, refusedTexts } = await killedDesk(t);
  await ingest(await put('b.ndjson', `${eventLines(1)}other 1\nother 2\n`), '--rejects', shared);
  const both = await readFile(shared, 'utf8');
  t.like(await send(), { accepted: 3, rejected: 2 });
  t.is(await readFile(shared, 'utf8'), both);
  t.deepEqual(await refusedTexts(), ['nonsense 1', 'nonsense 2', 'other 1', 'other 2']);
});

test('going on with another file of refusals that is there adds to it', async t => {
  const { send, put, rejects } = await killedDesk(t);
  const other = await put('other', `{"text":"kept"}\n`.repeat(100));
  t.like(await send('--rejects', other), { accepted: 3, rejected: 2 });
  const texts = (await rejects('other')).map(each => each.text);
  t.deepEqual(texts, [...Array.from({ length: 100 }, () => 'kept'), 'nonsense 1', 'nonsense 2']);
});

test('what could not be written of refusals is counted once, when it is sent again', async t => {
  const { put, ingest, error, path, rejects } = await ingestDesk(t);
  const file = await put('a.ndjson', `${eventLines(2)}nonsense\n${eventLines(1, 2)}`);
  t.like(await error(file, '--rejects', path('none/rejects')), { exit: 1, code: 'invalid_request' });
  const { events, totals } = JSON.parse(await readFile(path('a.ndjson.ingest-state.json'), 'utf8'));
  t.deepEqual([events, totals], [0, { accepted: 0, duplicates: 0, conflicts: 0, rejected: 0 }]);
  t.like(await ingest(file), { duplicates: 3, rejected: 1 });
  t.is((await rejects('a.ndjson.ingest-rejects.ndjson')).length, 1);
});
