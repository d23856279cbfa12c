import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { doMeanwhile, packedRows, writeInTurn } from '#shared/platform/bulk.ts';
import { createPool, sql } from '#shared/platform/db.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import { testDatabase } from '#test/helpers/database.ts';

async function scratch(t: ExecutionContext) {
  const { owner_url } = await testDatabase(end => t.teardown(end));
  const db = await createPool(owner_url, { max: 2, application_name: 'test' });
  t.teardown(() => db.end());
  await db.query(sql.unsafe`create table notes (number int4, at timestamptz default clock_timestamp())`);
  return db;
}

const insert = (number: number) => () =>
  sql.unsafe`insert into notes (number) select ${number}::int4 from (select pg_sleep(0.02)) s`;

test('the database is at work while this process is', async t => {
  const db = await scratch(t);
  const done = await db.transaction(tx =>
    doMeanwhile(writeInTurn(tx, [insert(1)]), () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      return Date.now();
    }),
  );
  const written = await db.oneFirst(sql.type(z.object({ at: Milliseconds }))`select at from notes`);
  t.true(written < done, `written ${written - done} ms after the work`);
});

const Row = z.object({ name: z.string().nullable(), payload: z.unknown(), flag: z.boolean().nullable() });

test('rows that are sent packed arrive as they are, whatever they hold', async t => {
  const db = await scratch(t);
  const odd = [
    '',
    ' ',
    'null',
    'NULL',
    '{}',
    '{"a","b"}',
    'a\\b\\\\',
    `it's "so", ; --`,
    '🛒 \u2028 é\u0301',
    '\n\t',
    'x'.repeat(3_000_000),
  ];
  const rows = odd.map((name, n) => [name, JSON.stringify({ name, control: '\u001f\u001e' }), n % 2 === 0]);
  const absent = [null, null, null];
  for (const given of [[...rows, absent], [absent, ...rows], [absent, absent], [absent], ...rows.map(row => [row])]) {
    const read = await db.any(sql.type(Row)`
      select * from ${packedRows(given, ['text', 'jsonb', 'bool'])} as r (name, payload, flag)`);
    const expected = given.map(([name, payload, flag]) => ({
      name,
      payload: typeof payload === 'string' ? JSON.parse(payload) : null,
      flag,
    }));
    t.true(JSON.stringify(read) === JSON.stringify(expected), JSON.stringify([read, expected]).slice(0, 2_000));
  }
  t.deepEqual([...(await db.any(sql.unsafe`select * from ${packedRows([], ['text', 'int8'])} as r`))], []);
});

test('work that fails while the database writes leaves nothing written, and the connection is as good as new', async t => {
  const db = await scratch(t);
  for (const statements of [
    [insert(1), insert(2), insert(3)],
    [() => sql.unsafe`select 1 / 0`, insert(4)],
  ]) {
    const failing = db.transaction(async tx => {
      const writing = writeInTurn(tx, statements);
      await doMeanwhile(writing, () => {
        throw new Error('no judgment');
      });
    });
    await t.throwsAsync(failing, { message: 'no judgment' });
  }
  const unprepared = () => {
    throw new Error('not prepared');
  };
  await t.throwsAsync(
    db.transaction(tx => writeInTurn(tx, [insert(5), unprepared, insert(6)])),
    { message: 'not prepared' },
  );
  await db.transaction(async tx => {
    await doMeanwhile(writeInTurn(tx, [insert(7), () => null, insert(8)]), () => null);
  });
  t.deepEqual(
    [...(await db.anyFirst(sql.type(z.object({ number: z.number() }))`select number from notes order by 1`))],
    [7, 8],
  );
});
