import { gzipSync } from 'node:zlib';
import test from 'ava';
import { memoryOf } from '#test/bench/cpu.ts';
import { event } from '#test/helpers/make.ts';
import { addressOf, run } from '#test/helpers/process.ts';
import { type Wire, wire } from '#test/helpers/wire.ts';
import { world } from '#test/helpers/world.ts';

const CONNECTIONS = 250;
const LINUX = process.platform === 'linux';

(LINUX ? test : test.skip)(
  'a process that is sent a gigabyte of bodies at once stays small, and takes the events of others',
  async t => {
    t.timeout(120_000);
    const w = await world(t, { own_database: true });
    const neighbor = (await w.key((await w.organization('Globex')).id)).key;
    const service = run(t, 'api/main.ts', [], {
      DATABASE_URL: w.database.service_url,
      SECRET_KEY: w.config.secret_key[0].toString('base64'),
      PORT: '0',
      RATE_LIMITS: 'off',
    });
    const address = await addressOf(service);
    const as = w.client(neighbor, address);
    t.is((await as.post('/v1/events', event())).status, 201);
    const before = Math.round(await memoryOf(Number(service.pid)));

    const head = (...fields: string[]) =>
      [
        'POST /v1/events HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${w.full.key}`,
        'Content-Type: application/json',
        ...fields,
        '',
        '',
      ].join('\r\n');
    const megabyte = Buffer.from(`{"id":"${'x'.repeat(1_000_000)}`);
    const bomb = gzipSync(megabyte.toString().padEnd(1_048_576, 'x'));
    // None of them comes to its end: what is taken stays taken.
    const kinds = [
      [head('Content-Length: 1048576'), megabyte],
      [head('Transfer-Encoding: chunked'), `${megabyte.length.toString(16)}\r\n`, megabyte],
      [head(`Content-Length: ${bomb.length}`, 'Content-Encoding: gzip'), bomb.subarray(0, -1)],
      [head('Content-Length: 5000000'), megabyte],
    ];
    const connections = await Promise.all(Array.from({ length: CONNECTIONS * kinds.length }, () => wire(t, address)));
    const answers = new Map<number, number>();
    const countAnswer = async (connection: Wire) => {
      const status = (await connection.next())?.status ?? 0;
      answers.set(status, (answers.get(status) ?? 0) + 1);
    };
    for (const [index, connection] of connections.entries()) {
      connection.send(...(kinds[index % kinds.length] ?? []));
      void countAnswer(connection);
    }
    for (let turn = 0; turn < 20; turn += 1) t.is((await as.post('/v1/events', event())).status, 201);
    const most = Math.round(await memoryOf(Number(service.pid)));
    t.log(`${before} MB before, at most ${most} MB; answers: ${JSON.stringify([...answers])}`);
    t.true((answers.get(503) ?? 0) > CONNECTIONS);
    t.true((answers.get(413) ?? 0) > 0);
    t.true(most - before < 400, `${most} MB`);
  },
);
