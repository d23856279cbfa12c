import { mkdir, mkdtemp, rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { totalmem, tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { roomFor } from '#shared/embedded_postgres/room.ts';

const MB = 1_048_576;

test('PostgreSQL gets memory and room for its log by how much data there is, within bounds', async t => {
  const directory = await mkdtemp(join(tmpdir(), 'room-'));
  t.teardown(() => rm(directory, { recursive: true }));
  t.deepEqual(await roomFor(join(directory, 'none')), { pages: 256, ahead: 2_048 });
  await mkdir(join(directory, 'base', '5'), { recursive: true });
  t.is((await roomFor(`${directory}\0`)).pages, 256, 'what cannot be looked at is no reason not to start');
  // Files without blocks: they take no room on the disk.
  const fill = async (name: string, megabytes: number) => {
    await writeFile(join(directory, 'base', '5', name), '');
    await truncate(join(directory, 'base', '5', name), megabytes * MB);
  };
  await fill('1', 6_000);
  await fill('2', 6_000);
  const most = Math.min(1_024, Math.min(totalmem(), process.constrainedMemory() || Infinity) / MB / 8);
  const { bavail, bsize } = await statfs(directory);
  const quarter = Math.max(2_048, (bavail * bsize) / MB / 4);
  t.deepEqual(await roomFor(directory), {
    pages: Math.round(Math.max(256, most)),
    ahead: Math.round(Math.min(3_000, quarter)),
  });
  await fill('3', 100_000);
  t.is((await roomFor(directory)).ahead, Math.round(Math.min(4_096, quarter)));
});
