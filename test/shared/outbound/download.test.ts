import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { type DownloadOptions, downloadFiles } from '#shared/outbound/download.ts';
import { folderOf } from '#test/fixtures/lists/reading.ts';
import { type ReceiverAnswer, type Received, receiver } from '#test/helpers/receiver.ts';
import { until } from '#test/helpers/until.ts';

/** A publisher on 127.0.0.1, and a place for what is fetched. */
async function publisher(t: ExecutionContext, answer: (request: Received) => ReceiverAnswer) {
  const { port, received } = await receiver(t, answer);
  const folder = await folderOf(t, {});
  const origin = `http://127.0.0.1:${port}`;
  const fetch = (path: string | string[], options: Partial<DownloadOptions> = {}) =>
    downloadFiles({ urls: [path].flat().map(one => origin + one), folder, allow_private: true, ...options });
  return { origin, received, folder, fetch };
}

const send =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

test('a file is fetched to disk with what its next request says', async t => {
  const { origin, fetch } = await publisher(t, () =>
    send('36,"NOBODY"\n', { etag: '"1"', 'last-modified': 'Fri, 27 Feb 2026 00:00:00 GMT' }),
  );
  const result = await fetch('/lists/SDN.CSV?token=secret');
  if (result.state !== 'downloaded') return t.fail();
  t.is(await readFile(result.path, 'utf8'), '36,"NOBODY"\n');
  t.is(basename(result.path), 'SDN.CSV');
  t.deepEqual(result.validators, {
    [`${origin}/lists/SDN.CSV?token=secret`]: { etag: '"1"', last_modified: 'Fri, 27 Feb 2026 00:00:00 GMT' },
  });
});

test('several files come into one folder, and all again when one has changed', async t => {
  const { origin, received, folder, fetch } = await publisher(t, ({ url, headers }) =>
    headers['if-none-match'] === '"old"' && url === '/alt.csv' ? 304 : send(url, { etag: '"new"' }),
  );
  const validators = Object.fromEntries(
    ['sdn', 'alt'].map(name => [`${origin}/${name}.csv`, { etag: '"old"', last_modified: null }]),
  );
  const result = await fetch(['/sdn.csv', '/alt.csv'], { validators });
  if (result.state !== 'downloaded') return t.fail();
  t.is(result.path, result.folder);
  t.deepEqual((await readdir(result.path)).toSorted(), ['alt.csv', 'sdn.csv']);
  t.is(received.length, 3);
  t.deepEqual(await readdir(folder), [basename(result.folder)]);
});

test('a list that has not changed is not fetched again', async t => {
  const { origin, received, folder, fetch } = await publisher(t, () => 304);
  const validators = { [`${origin}/un.xml`]: { etag: 'W/"7"', last_modified: 'Fri, 27 Feb 2026 00:00:00 GMT' } };
  t.deepEqual(await fetch('/un.xml', { validators }), { state: 'unchanged' });
  t.like(received[0]?.headers, { 'if-none-match': 'W/"7"', 'if-modified-since': 'Fri, 27 Feb 2026 00:00:00 GMT' });
  t.deepEqual(await readdir(folder), []);
});

test('what comes packed for the way is unpacked', async t => {
  const { fetch } = await publisher(t, () => send(gzipSync('name\nNobody\n'), { 'content-encoding': 'gzip' }));
  const result = await fetch('/own.csv');
  t.is(result.state === 'downloaded' && (await readFile(result.path, 'utf8')), 'name\nNobody\n');
});

test('five redirects are followed, and no more', async t => {
  const { fetch } = await publisher(t, ({ url }) => {
    const left = Number(url.slice(1));
    return left === 0 ? send('end') : send('', { location: `/${left - 1}` }, 302);
  });
  t.is((await fetch('/5')).state, 'downloaded');
  await t.throwsAsync(fetch('/6'), { name: 'DownloadError', message: /leads through more than 5 redirects$/ });
});

test('credentials of an address go to its own server, and into no error', async t => {
  const elsewhere = await publisher(t, () => 404);
  const { origin, received, folder } = await publisher(t, () =>
    send('', { location: `${elsewhere.origin}/x?key=k` }, 307),
  );
  const urls = [`${origin.replace('//', '//user:pass%40@')}/list.csv?token=secret`];
  const error = await t.throwsAsync(downloadFiles({ urls, folder, allow_private: true }), { name: 'DownloadError' });
  t.is(error?.message, `${elsewhere.origin}/x answered 404`);
  t.is(received[0]?.headers.authorization, `Basic ${Buffer.from('user:pass@').toString('base64')}`);
  t.is(elsewhere.received[0]?.headers.authorization, undefined);
  t.deepEqual(await readdir(folder), []);
});

test('private targets and plain http are refused unless allowed, also behind a name', async t => {
  const { origin, received, fetch } = await publisher(t, () => send('x'));
  const fetchPublic = (url: string) =>
    t.throwsAsync(
      fetch([], { urls: [url], allow_private: false, resolve: async () => [{ address: '10.0.0.7', family: 4 }] }),
    );
  const message = async (url: string) => (await fetchPublic(url))?.message;
  t.is(await message(`${origin}/x`), `${origin}/x: only https addresses are fetched`);
  t.is(await message('https://127.0.0.1/x'), 'https://127.0.0.1/x: 127.0.0.1 is not a public address');
  t.is(
    await message('https://[::ffff:10.0.0.1]/x?t=1'),
    'https://[::ffff:a00:1]/x: ::ffff:a00:1 is not a public address',
  );
  t.is(await message('https://localhost/x'), 'https://localhost/x: localhost names a local host');
  t.is(
    await message('https://lists.example/x'),
    'https://lists.example/x: lists.example does not resolve to a public address',
  );
  t.is(await message('ftp://lists.example/x'), 'ftp://lists.example/x: only https addresses are fetched');
  t.is(received.length, 0);
});

test('too many bytes, packed ones too, are refused, and nothing stays behind', async t => {
  const { folder, fetch } = await publisher(t, ({ url }) => {
    if (url === '/bomb') return send(gzipSync(Buffer.alloc(3_000_000)), { 'content-encoding': 'gzip' });
    return send(Buffer.alloc(3_000_000));
  });
  const max_bytes = 2 * 1_024 ** 2;
  await t.throwsAsync(fetch('/big', { max_bytes }), { message: 'big is larger than 2 MB' });
  await t.throwsAsync(fetch('/bomb', { max_bytes }), { message: 'bomb is larger than 2 MB' });
  t.deepEqual(await readdir(folder), []);
});

test('a server that hangs, breaks off, fails or sends nothing is said without its secrets', async t => {
  const { origin, folder, fetch } = await publisher(t, ({ url }) => {
    if (url.startsWith('/hang')) return () => {};
    if (url.startsWith('/stall')) return response => void response.writeHead(200).write('half');
    if (url.startsWith('/break'))
      return response => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setTimeout(() => response.destroy(), 20);
      };
    return url === '/empty' ? send('') : 503;
  });
  const message = async (path: string, options = {}) => (await t.throwsAsync(fetch(path, options)))?.message;
  t.is(await message('/hang?t=1', { timeout: 300 }), `${origin}/hang: it did not come in time`);
  t.is(await message('/stall', { timeout: 300 }), `${origin}/stall: it did not come in time`);
  t.is(await message('/stall', { idle_timeout: 300 }), `${origin}/stall: it did not come in time`);
  t.is(await message('/break'), `${origin}/break: the connection was closed before an answer came`);
  t.is(await message('/down?t=1'), `${origin}/down answered 503`);
  t.is(await message('/empty'), 'empty came empty');
  t.deepEqual(await readdir(folder), []);
});

/** Sends the beginning of an answer, and closes the connection when some of it has reached the disk. */
async function breakOff(response: ServerResponse, beginning: Buffer, folder: () => string) {
  const before = await bytesIn(folder());
  response.write(beginning);
  await until(async () => (await bytesIn(folder())) > before);
  response.socket?.end();
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await Promise.all(
    files.map(file =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A publisher whose connection breaks after so many bytes of each answer; packed for the way or not. */
async function unsteady(t: ExecutionContext, content: Buffer, { after = 40_000, etag = '"1"', headers = {} } = {}) {
  const made = await publisher(t, request => response => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const isRest = from > 0 && request.headers['if-range'] === etag;
    const rest = isRest ? content.subarray(from) : content;
    response.writeHead(isRest ? 206 : 200, {
      etag,
      'content-length': rest.length,
      ...(isRest && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
      ...headers,
    });
    if (rest.length <= after) response.end(rest);
    else void breakOff(response, rest.subarray(0, after), () => made.folder);
  });
  return made;
}

test('a download that breaks off goes on where it was, packed for the way or not', async t => {
  const content = randomBytes(150_000);
  const { received, fetch } = await unsteady(t, content);
  const result = await fetch('/un.xml');
  t.true(result.state === 'downloaded' && (await readFile(result.path)).equals(content));
  t.true(received.length > 1);
  t.like(received[1]?.headers, { 'if-range': '"1"' });
  t.regex(received[1]?.headers.range ?? '', /^bytes=[1-9]\d*-$/);
  const packed = await unsteady(t, gzipSync(content), { headers: { 'content-encoding': 'gzip' } });
  const unpacked = await packed.fetch('/un.xml');
  t.true(unpacked.state === 'downloaded' && (await readFile(unpacked.path)).equals(content));
});

test('it does not go on where the server cannot say that the file is the same, nor for ever', async t => {
  const content = randomBytes(150_000);
  const weak = await unsteady(t, content, { etag: 'W/"1"' });
  await t.throwsAsync(weak.fetch('/un.xml'), { name: 'DownloadError', message: /the connection was closed/ });
  t.is(weak.received.length, 1);
  const endless = await unsteady(t, content, { after: 1_000 });
  await t.throwsAsync(endless.fetch('/un.xml'), { name: 'DownloadError' });
  t.is(endless.received.length, 21);
  t.deepEqual(await readdir(endless.folder), []);
});

test('a file that has changed while it was fetched is read from its beginning', async t => {
  const [old, newer] = [Buffer.alloc(100_000, 'a'), Buffer.alloc(90_000, 'b')];
  const { received, folder, fetch } = await publisher(t, ({ headers }) => response => {
    if (headers.range) return void response.writeHead(200, { etag: '"2"' }).end(newer);
    response.writeHead(200, { etag: '"1"', 'content-length': old.length });
    void breakOff(response, old.subarray(0, 50_000), () => folder);
  });
  const result = await fetch('/un.xml');
  if (result.state !== 'downloaded') return t.fail();
  t.true((await readFile(result.path)).equals(newer));
  t.truthy(received.at(-1)?.headers.range);
  t.deepEqual(Object.values(result.validators), [{ etag: '"2"', last_modified: null }]);
});

test('the rest of another version is not taken for that of the first', async t => {
  const [old, newer] = [Buffer.alloc(100_000, 'a'), Buffer.alloc(90_000, 'b')];
  const { folder, fetch } = await publisher(t, ({ headers }) => response => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const content_range = `bytes ${from}-${newer.length - 1}/${newer.length}`;
    if (headers.range)
      return void response.writeHead(206, { etag: '"2"', 'content-range': content_range }).end(newer.subarray(from));
    response.writeHead(200, { etag: '"1"', 'content-length': old.length });
    void breakOff(response, old.subarray(0, 50_000), () => folder);
  });
  await t.throwsAsync(fetch('/un.xml'), { name: 'DownloadError', message: /its rest cannot be had/ });
  t.deepEqual(await readdir(folder), []);
});
