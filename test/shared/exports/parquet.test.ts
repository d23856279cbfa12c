import test from 'ava';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { z } from 'zod';
import { columnsOf } from '#shared/exports/columns.ts';
import { encodeParquet } from '#shared/exports/parquet.ts';

const fileOf = (pieces: readonly (string | Buffer)[]) =>
  new Uint8Array(Buffer.concat(pieces.map(piece => Buffer.from(piece)))).buffer;

test('long records are written before there are many in memory', async t => {
  const encoding = encodeParquet(columnsOf(z.object({ seq: z.int(), text: z.string() })));
  const record = (seq: number) => ({ seq, text: `${seq} ${'ü'.repeat(100_000)}` });
  const pages = Array.from({ length: 6 }, (_, page) => Array.from({ length: 40 }, (_each, n) => record(page * 40 + n)));
  const file = fileOf([encoding.begin(), ...pages.map(page => encoding.add(page)), encoding.end()]);
  const groups = parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows));
  t.true(Math.max(...groups) < 200, String(groups));
  t.deepEqual(
    await parquetReadObjects({ file }),
    pages.flat().map(({ seq, text }) => ({ seq: BigInt(seq), text })),
  );
});
