import test from 'ava';
import { parquetReadObjects } from 'hyparquet';
import { MINUTE, timestamp } from '#shared/values/time.ts';
import { active, hours, OVER, path } from '#test/helpers/export_hours.ts';

test('an hour as Parquet is a part that is not compressed twice', async t => {
  const w = await hours(t);
  await w.as.put(path, { ...active, format: 'parquet' });
  await w.receive(w.first + MINUTE, w.first + 2 * MINUTE);
  w.moveTo(w.first + OVER);
  await w.work();
  const text = timestamp(w.first);
  const folder = `${(await w.schedule()).folder}/date=${text.slice(0, 10)}/hour=${text.slice(11, 13)}`;
  const { files } = JSON.parse(String(await w.read(`${folder}/_manifest.json`)));
  t.like(files, [{ path: 'part-0.parquet', row_count: 2 }]);
  const rows = await parquetReadObjects({
    file: new Uint8Array((await w.read(`${folder}/part-0.parquet`)) ?? []).buffer,
  });
  t.deepEqual(
    rows.map(row => row['chain_seq']),
    [1n, 2n],
  );
});
