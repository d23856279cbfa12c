import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { createClient } from '#api/client/client.ts';
import { fakeIngest } from '#test/helpers/fake_ingest.ts';
import { runLines } from '#test/helpers/process.ts';
import { stillClock } from '#test/helpers/still_clock.ts';
import { eventLines, ingestDesk } from './ingest_desk.ts';

test('files are sent, and sent again not at all', async t => {
  const { put, ingest, stored, requests } = await ingestDesk(t);
  const files = [await put('a.ndjson', eventLines(700)), await put('b.gz', gzipSync(eventLines(300, 700)))];
  const { seconds, ...sums } = await ingest(...files);
  t.deepEqual(sums, { accepted: 1_000, duplicates: 0, conflicts: 0, rejected: 0 });
  t.is(typeof seconds, 'number');
  t.is(stored.size, 1_000);
  const before = requests();
  t.like(await ingest(...files), sums);
  t.is(requests(), before);
});

test('standard input is sent, and has no state unless one is asked for', async t => {
  const { pipe, stored, folder } = await ingestDesk(t);
  const { code, stdout, stderr } = await pipe(eventLines(10));
  t.is(code, 0);
  t.regex(stdout, /^accepted +10$/m);
  t.regex(stderr, /All 10 events have been answered in .*: 10 accepted\./);
  t.is(stored.size, 10);
  t.deepEqual(await readdir(folder), ['key']);
  t.regex((await pipe(eventLines(1, 10))).stderr, /^1 event has been answered in .*: 1 accepted\./);
  t.is((await pipe(eventLines(10), '--state', 'state')).code, 0);
  t.regex((await pipe(eventLines(10), '--state', 'state')).stderr, /Nothing is left to send/);
});

test('a state of standard input goes on with input that begins as before, and refuses any other', async t => {
  const { pipe, stored, path } = await ingestDesk(t);
  const send = (input: string) => pipe(input, '--state', 'state');
  const bare = eventLines(3).replaceAll(/"id":"[^"]*",/g, '');
  t.is((await send(`${eventLines(5)}${bare}{"id":"","n":1}`)).code, 0);
  const { seconds: _, ...state } = JSON.parse(await readFile(path('state'), 'utf8'));
  // Another, one that was shortened, one that was changed far back, and one whose last line went on.
  for (const other of [
    eventLines(9, 9),
    eventLines(4),
    '',
    `${eventLines(5)}${bare}{"id":"","n":12}\n${eventLines(1, 5)}`,
  ]) {
    const { code, stderr } = await send(other);
    t.is(code, 1, other);
    t.regex(stderr, /The state .*state is of other input: .* Remove it .*, or name another with --state/);
    t.like(JSON.parse(await readFile(path('state'), 'utf8')), state);
  }
  t.is(stored.size, 8);
  const { code, stdout } = await send(`${eventLines(5)}${bare}{"id":"","n":1}\n${eventLines(2, 5)}${bare}`);
  t.is(code, 0);
  t.regex(stdout, /^accepted +13$/m);
  t.is(stored.size, 13);
});

test('an unfinished state of standard input goes on where it had come to, and never past a change', async t => {
  let isAway = true;
  const instead = (events: { id?: string }[]) =>
    isAway && events.some(({ id }) => Number(id?.slice(4)) >= 6_000)
      ? { status: 401, body: { error: { code: 'unauthorized', message: 'gone' } } }
      : null;
  const { pipe, stored, path } = await ingestDesk(t, { instead });
  const send = (input: string) => pipe(input, '--state', 'state');
  t.is((await send(eventLines(8_000))).code, 1);
  isAway = false;
  const { events } = JSON.parse(await readFile(path('state'), 'utf8'));
  t.true(events > 2_000 && events < 8_000, `${events}`);
  const count = stored.size;
  for (const other of [eventLines(events - 1), eventLines(8_000).replace('evt_1999"', 'evt_x"')]) {
    t.regex((await send(other)).stderr, /is of other input/);
    t.is(stored.size, count);
  }
  t.is((await send(eventLines(8_000))).code, 0);
  t.is(stored.size, 8_000);
});

test('a sending that was ended goes on where it had come to, with the same sums and refusals', async t => {
  let isAway = true;
  const instead = (events: { id?: string }[]) =>
    isAway && events.some(({ id }) => Number(id?.slice(4)) >= 6_000)
      ? { status: 401, body: { error: { code: 'unauthorized', message: 'gone' } } }
      : null;
  const { put, ingest, error, rejects, stored, batches, path } = await ingestDesk(t, { instead });
  const bad = (n: number) => `{"id":"","n":${n}}\n`;
  const file = await put('a.ndjson', `${bad(1)}${eventLines(4_000)}${bad(2)}${eventLines(4_000, 4_000)}${bad(3)}`);
  t.like(await error(file), { exit: 1, code: 'unauthorized' });
  const state = JSON.parse(await readFile(path('a.ndjson.ingest-state.json'), 'utf8'));
  t.true(state.events > 0 && state.events <= 6_002, `${state.events}`);
  t.is(state.events, state.totals.accepted + state.totals.rejected);
  const sent_before = batches.flat().length;
  isAway = false;
  const sums = await ingest(file);
  t.is(sums.accepted + sums.duplicates, 8_000);
  t.is(sums.rejected, 3);
  t.is(stored.size, 8_000);
  t.is(batches.flat().length - sent_before, 8_003 - state.events);
  t.deepEqual(
    (await rejects('a.ndjson.ingest-rejects.ndjson')).map(each => each.event.n),
    [1, 2, 3],
  );
});

test('the state of another file, mapping or organization is refused', async t => {
  const { put, ingest, error, path } = await ingestDesk(t);
  const file = await put('a.ndjson', eventLines(3));
  await ingest(file);
  await put('a.ndjson', eventLines(4));
  t.like(await error(file), { exit: 1, code: 'conflict' });
  const state = path('a.ndjson.ingest-state.json');
  const other = await put('b.csv', 'id\nevt_1\n');
  t.like(await error(other, '--state', state), { exit: 1, code: 'conflict' });
  await ingest(other);
  const map = await put('map.json', '{"id":"id"}');
  t.like(await error(other, '--map', map), { exit: 1, code: 'conflict' });
  await put('b.csv.ingest-state.json', 'nonsense');
  t.like(await error(other), { exit: 1, code: 'conflict' });
});

test('the state of a sending to another server is refused, also where organizations have the same id', async t => {
  const scopes = ['events:write', 'events:read'];
  const { put, ingest, error, words, admin } = await ingestDesk(t, { scopes });
  const file = await put('a.ndjson', eventLines(3));
  await ingest(file);
  const other = await fakeIngest(t, { scopes, log_origin: 'elsewhere.example.com' });
  const { exit, code, message } = await admin.error(...words([file]), '--url', other.url);
  t.deepEqual([exit, code], [1, 'conflict']);
  t.regex(message, /another server.*elsewhere\.example\.com.*Remove it to send everything from the start/);
  t.like(await error(file, '--map', await put('map.json', '{"id":"id"}')), { code: 'conflict' });
  t.is(other.stored.size, 0);
});

test('a state that could not be claimed, as on a full disk, is free for the next run', async t => {
  const { put, ingest, folder, words } = await ingestDesk(t);
  const file = await put('a.ndjson', eventLines(3));
  const command = [process.execPath, resolve('bin/admin.ts'), ...words([file])].map(word => `'${word}'`).join(' ');
  const { code, stderr } = await runLines(t, `ulimit -f 0\n${command}`, folder, {}).ended;
  t.is(code, 1);
  t.regex(stderr, /\.lock cannot be written/);
  t.deepEqual((await readdir(folder)).sort(), ['a.ndjson', 'key']);
  t.like(await ingest(file), { accepted: 3 });
});

test('a file that breaks off is sent as far as it goes, and exits 1', async t => {
  const { put, error, stored } = await ingestDesk(t);
  const whole = gzipSync(eventLines(20_000));
  const broken = await error(await put('a.gz', whole.subarray(0, whole.length - 8)));
  t.like(broken, { exit: 1, code: 'invalid_request' });
  t.regex(broken.message, /breaks off/);
  t.is(stored.size, 20_000);
  t.regex(broken.message, / So far 20,000 events have been answered: 20,000 accepted\.$/);
});

test('the key is read from a file alone, and never repeated', async t => {
  const { put, admin, path, url } = await ingestDesk(t);
  const file = await put('a.ndjson', eventLines(1));
  const key = 'hk_test_notafile';
  for (const [words, exit] of [
    [['--key-file', key], 2],
    [['--key-file', path('key'), '--key', key], 2],
    [['--key-file', path('key'), `--key=${key}`], 2],
    [['--key-file', await put('two', `${key}\n${key}\n`)], 1],
    [['--key-file', path('none')], 1],
    [[], 2],
  ] as const) {
    const { code, stderr, stdout } = await admin.type('ingest', file, ...words, '--url', url);
    t.is(code, exit, words.join(' '));
    t.false((stderr + stdout).includes(key));
  }
});

test('a key without the scope, a wrong address and files that are named twice are refused before anything is sent', async t => {
  const { put, error, admin, requests, path } = await ingestDesk(t, { scopes: ['events:read'] });
  const file = await put('a.ndjson', eventLines(1));
  t.like(await error(file), { exit: 1, code: 'forbidden' });
  for (const url of ['ftp://example.com', 'foo', '']) {
    const far = await admin.error('ingest', file, '--key-file', path('key'), '--url', url);
    t.like(far, { exit: 2, code: 'invalid_request', details: [{ path: '/url' }] });
  }
  t.like(await error(file, file), { exit: 2, code: 'invalid_request' });
  t.like(await error(file, '--rejects', file), { exit: 2, code: 'invalid_request' });
  t.like(await error(path('none')), { exit: 1, code: 'invalid_request' });
  t.is(requests(), 0);
});

test('an address that does not speak TLS is said at once', async t => {
  const { put, path, admin, url } = await ingestDesk(t);
  const file = await put('a.ndjson', eventLines(1));
  const secure = url.replace('http:', 'https:');
  const { exit, message } = await admin.error('ingest', file, '--key-file', path('key'), '--url', secure);
  t.is(exit, 1);
  t.is(message, `${secure} does not answer with TLS. Does its address begin with http://?`);
});

test('while the service refuses for a time, its own words say why', async t => {
  const error = { code: 'unavailable', message: 'The disk of the database is nearly full.' };
  const busy = { status: 503, headers: { 'retry-after': '5' }, body: { error } };
  const { url } = await ingestDesk(t, { instead: (_, request) => (request === 1 ? busy : null) });
  const said: string[] = [];
  const { clock } = stillClock();
  const client = createClient({ url, key: 'hk_test_secret', clock, onWait: reason => said.push(reason) });
  for await (const _ of client.send([[{ json: '{"id":"evt_1"}' }]]));
  t.deepEqual(said, ['it answers 503: The disk of the database is nearly full']);
});
