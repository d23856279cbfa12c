import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { routes } from '#api/routes/index.ts';
import { event } from '#test/helpers/make.ts';
import { pathOf } from '#test/helpers/routes.ts';
import { connectWire } from '#test/helpers/wire.ts';
import type { Place } from './place.ts';
import { note, type Tally } from './tally.ts';

const CRLF = '\r\n';
/** An answer to what is sent whole comes at once; who waits for more is told within the time for headers and bodies. */
const SOON = 20_000;

/** Ways to say where a body ends, any two of which may be said at once. */
const framings = [
  'Content-Length: 6',
  'Content-Length: 0',
  'Content-Length: +6',
  'Content-Length:6',
  'Content-Length: 6, 6',
  'Content-Length: 0x6',
  'Content-Length: 00006',
  'Content-Length : 6',
  ' Content-Length: 6',
  'Content\x00-Length: 6',
  'Content_Length: 6',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding:chunked',
  'Transfer-Encoding: CHUNKED',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: x',
  'Transfer-Encoding: x, chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding:\n chunked',
  'Transfer-Encoding: x\r\nTransfer-Encoding: chunked',
  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  'Trailer: Content-Length',
  'Connection: close, Content-Length',
];
/** What could pass for the end of a body. */
const ends = [
  `0${CRLF}${CRLF}`,
  '0\n\n',
  `0;x=\n${CRLF}${CRLF}`,
  `00${CRLF}${CRLF}`,
  `-0${CRLF}${CRLF}`,
  `0x0${CRLF}${CRLF}`,
  `0 ${CRLF}${CRLF}`,
  `1${CRLF}a\n0${CRLF}${CRLF}`,
  `ffffffffffffffff${CRLF}`,
  `10000000000000000${CRLF}`,
  '012345',
];

/**
 * Requests whose end two servers could see in different places. A second request hides where their body may be: only who names one length, and
 * no other, may have the rest of the connection read as a request of its own.
 */
export async function smuggling({ us, crew }: Place, tally: Tally): Promise<void> {
  const { key } = await us.newKey(us.tenant.org_id);
  const credential = `Authorization: Bearer ${key}`;
  const hidden = `DELETE /v1/smuggled HTTP/1.1${CRLF}Host: x${CRLF}${CRLF}`;
  const heads = framings.flatMap(first => [[first], ...framings.map(second => [first, second])]);
  const all = heads.flatMap(lines => ends.map(end => ({ lines, end })));
  const lane = async () => {
    for (let next = all.pop(); next; next = all.pop()) {
      const head = ['POST /v1/events HTTP/1.1', 'Host: x', credential, 'Content-Type: application/json', ...next.lines];
      const told = await answersTo(crew.address, `${head.join(CRLF)}${CRLF}${CRLF}${next.end}${hidden}`, tally);
      const what = JSON.stringify([...next.lines, next.end]);
      for (const status of told) if (status >= 500) note(tally, 'errors', `${status} to ${what}`);
      // Of one plain length, what follows is a request by every reading.
      if (told.includes(404) && !isPlain(next)) note(tally, 'leaks', `what hides in a body is answered: ${what}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}

/** Whether there is one reading of where the body ends. */
function isPlain({ lines }: { lines: string[]; end: string }): boolean {
  const lengths = lines.filter(line => /^(Content-Length|Transfer-Encoding):/i.test(line));
  const isOdd = (line: string) => /[\n\r"]|^ | :/.test(line) || line.includes('\x00') || line.includes('\x0b');
  return new Set(lengths).size <= 1 && !lines.some(isOdd);
}

/** The statuses of all that is answered to these bytes, until the connection ends or nothing more comes. */
async function answersTo(address: string, bytes: string, tally: Tally): Promise<number[]> {
  tally.requests += 1;
  const connection = await connectWire(address);
  connection.send(Buffer.from(bytes, 'latin1'));
  connection.socket.end();
  const statuses: number[] = [];
  const late = pause(SOON, 'late' as const, { ref: false });
  for (;;) {
    const answer = await Promise.race([connection.next(), late]);
    if (answer === 'late') note(tally, 'hangs', JSON.stringify(bytes.slice(0, 200)));
    if (answer === null || answer === 'late') break;
    statuses.push(answer.status);
  }
  connection.socket.destroy();
  return statuses;
}

/** Small bodies that become large, deep or slow to read. */
export async function bombs({ us, ask }: Place, tally: Tally): Promise<void> {
  const { key } = await us.newKey(us.tenant.org_id);
  const { cookie } = await us.newPerson('owner', { second_factor: true });
  const zeros = Buffer.alloc(256 * 1_048_576);
  const many = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
  const MB = 1_000_000;
  const plain: string[] = [
    many('[', MB),
    many('{"a":', MB),
    `{${many('"a":1,', MB)}"b":1}`,
    `[${many('1,', MB)}1]`,
    `{"a":${many('9', MB)}}`,
    `{"a":1e${many('9', 1_000)}}`,
    `"${many('\\u0000', MB)}"`,
    `{"events":[${many('{},', MB)}{}]}`,
    JSON.stringify({
      ...event(),
      metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [i, many('ß', 300)])),
    }),
    JSON.stringify({ ...event(), description: many('\u0301', 500_000) }),
    JSON.stringify({ ...event({ payee: many('DE89 ', 50_000) }) }),
    JSON.stringify({ ...event({ payee: `domain:${many('a.', 50_000)}` }) }),
    JSON.stringify({ payee: { name: many('مطعم ', 80_000) } }),
    JSON.stringify({ payees: Array.from({ length: 100 }, () => ({ name: many('Shipping & Trading Co ', 9_000) })) }),
  ];
  const bodies: { headers: Record<string, string>; body: Buffer }[] = [
    ...plain.map(text => ({ headers: {}, body: Buffer.from(text) })),
    { headers: { 'content-encoding': 'gzip' }, body: gzipSync(zeros) },
    { headers: { 'content-encoding': 'deflate' }, body: deflateSync(zeros) },
    { headers: { 'content-encoding': 'br' }, body: brotliCompressSync(zeros) },
    { headers: { 'content-encoding': 'gzip' }, body: gzipSync(gzipSync(zeros)) },
    { headers: { 'content-encoding': 'gzip' }, body: Buffer.concat([gzipSync(zeros), gzipSync(zeros)]) },
  ];
  const posts = routes.filter(({ method, body }) => method !== 'get' && body);
  for (const route of posts)
    await Promise.all(
      bodies.map(({ headers, body }) => {
        const shown: Record<string, string> =
          route.access !== 'public' && route.access.scopes ? { authorization: `Bearer ${key}` } : { cookie };
        const sent = { method: route.method.toUpperCase(), path: pathOf(route), body };
        return ask(tally, { ...sent, headers: { 'content-type': 'application/json', ...shown, ...headers } }, us);
      }),
    );
}

const SILENT = 1_500;
/** The most that a connection may stay open that says nothing, or not enough: the minute that a request may take, and the half that Node takes to notice. */
const LONGEST = 100_000;
/** How long it may take to read what was sent to those that did not read. */
const DRAINED_WITHIN = 30_000;
/** How an answer begins. */
const ANSWER = 'HTTP/1.1 ';
/** Requests that are sent at once by who does not read. */
const PIPELINED = 40;
/** The longest that another organization's event may take meanwhile; on a busy machine so many times as long as before. */
const SLOWEST = 5_000;
const TIMES_SLOWER = 20;

/**
 * Connections that send their headers or their body byte by byte, or most of it and then nothing, or do not read what they asked for. Meanwhile
 * another organization is answered, and all of them are closed in time.
 */
export async function slowness({ us, them, crew, ask }: Place, tally: Tally): Promise<void> {
  const { key } = await us.newKey(us.tenant.org_id);
  const { key: other } = await them.newKey(them.tenant.org_id);
  const credential = `Authorization: Bearer ${key}`;
  const post = (path: string, ...lines: string[]) =>
    [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...lines, '', ''].join(CRLF);
  const most = 'x'.repeat(900_000);
  const ways: { starts: string; drips?: true; unread?: true }[] = [
    { starts: '' },
    { starts: 'POST /v1/events HTTP/1.1\r\nHost: x\r\nX: ', drips: true },
    { starts: post('/v1/sign-in', 'Content-Length: 1000000') + most },
    { starts: post('/v1/events', credential, 'Content-Length: 1000000') + most },
    { starts: post('/v1/events', credential, 'Content-Length: 1000000'), drips: true },
    { starts: post('/v1/events', credential, 'Transfer-Encoding: chunked') + '1\r\n', drips: true },
    { starts: post('/v1/sign-in', 'Transfer-Encoding: chunked') + '1\r\n', drips: true },
    { starts: `GET /v1/events?limit=200 HTTP/1.1\r\nHost: x\r\n${credential}\r\n\r\n`.repeat(PIPELINED), unread: true },
  ];
  const probe = async () => {
    const start = performance.now();
    const sent = { method: 'POST', path: '/v1/events', body: Buffer.from(JSON.stringify(event())) };
    const headers = { authorization: `Bearer ${other}`, 'content-type': 'application/json' };
    const { status } = await ask(tally, { ...sent, headers }, them);
    return { status, ms: performance.now() - start };
  };
  let quiet = 0;
  for (let times = 0; times < 5; times += 1) quiet = Math.max(quiet, (await probe()).ms);
  const slowest = Math.max(SLOWEST, TIMES_SLOWER * quiet);
  const began = performance.now();
  const sockets = await Promise.all(
    Array.from({ length: SILENT }, async (_, index) => {
      const way = ways[index % ways.length] ?? { starts: '' };
      const { hostname, port } = new URL(crew.address);
      const socket = connect({ host: hostname, port: Number(port) });
      tally.requests += 1;
      socket.on('error', () => {});
      // One that finds no place among those that wait to be taken is closed.
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
      socket.write(way.starts);
      let answers = 0;
      let rest = '';
      socket.on('data', (part: Buffer) => {
        const pieces = (rest + part.toString('latin1')).split(ANSWER);
        answers += pieces.length - 1;
        rest = pieces.at(-1)?.slice(1 - ANSWER.length) ?? '';
      });
      if (way.unread) socket.pause();
      const drip = way.drips && setInterval(() => socket.writable && socket.write('x'), 1_000);
      const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
      void closed.then(() => drip && clearInterval(drip));
      return { socket, closed, way, answers: () => answers };
    }),
  );
  let isOver = false;
  const probing = (async () => {
    while (!isOver) {
      const { status, ms } = await probe();
      if (status !== 201 || ms > slowest)
        note(tally, 'hangs', `an event is answered ${status} after ${Math.round(ms)} ms`);
      await pause(250);
    }
  })();
  const open = new Set(sockets);
  for (const each of sockets) void each.closed.then(() => open.delete(each));
  while (open.size > 0 && performance.now() - began < LONGEST) await pause(250);
  // A paused socket does not see its own end: they are read now, all at once. Of one that the server never took, for want of a place, only who
  // sends something is told.
  for (const { socket, way } of open) {
    socket.resume();
    if (way.starts === '') socket.write(CRLF);
  }
  for (let waited = 0; open.size > 0 && waited < DRAINED_WITHIN; waited += 250) await pause(250);
  // Who was answered in full is only idle: a connection may be kept for the next request.
  for (const { way, answers } of open)
    if (!way.unread || answers() < PIPELINED)
      note(tally, 'hangs', `open after ${LONGEST / 1_000} s: ${JSON.stringify(way.starts.slice(0, 60))}`);
  isOver = true;
  await probing;
  for (const { socket } of sockets) socket.destroy();
}
