import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { createStorage } from '#shared/platform/storage/open_storage.ts';
import { readConfig } from '#shared/settings/config.ts';
import type { Storage } from '#shared/platform/storage/storage.ts';
import { bucketServer } from '#test/helpers/bucket_server.ts';

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'oversight-storage-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

const engines: [string, (t: ExecutionContext) => Promise<Storage>][] = [
  ['the data directory', async t => createStorage({ data_dir: await folder(t), storage_url: undefined })],
  ['a folder', async t => createStorage({ data_dir: '/nowhere', storage_url: `file://${await folder(t)}` })],
  ['a bucket', async t => createStorage({ data_dir: '/nowhere', storage_url: await bucketServer(t) })],
];

for (const [name, open] of engines) {
  test(`in ${name} a file is put whole, read back, replaced and removed`, async t => {
    const storage = await open(t);
    const desk = await folder(t);
    const put = async (bytes: Buffer) => {
      await writeFile(join(desk, 'file'), bytes);
      await storage.put('packs/org/a.zip', join(desk, 'file'));
      t.deepEqual(await readdir(desk), [], 'the file that was put is used up');
    };
    t.is(await storage.get('packs/org/a.zip'), null);
    // Over 5 MB a bucket is sent parts.
    for (const bytes of [Buffer.from('first'), randomBytes(11_000_000), Buffer.alloc(0)]) {
      await put(bytes);
      const found = await storage.get('packs/org/a.zip');
      t.is(found?.size, bytes.length);
      t.true(found !== null && bytes.equals(await buffer(found.body)));
    }
    t.is(await storage.get('packs/org/a'), null, 'the beginning of a name is another name');
    await storage.remove('packs/org/b.zip');
    await storage.remove('packs/org/a.zip');
    t.is(await storage.get('packs/org/a.zip'), null);
  });
}

test('a bucket that refuses says so, and the file is still there to be put again', async t => {
  const url = new URL(await bucketServer(t));
  url.host = 'no-such-bucket';
  const storage = await createStorage({ data_dir: '/nowhere', storage_url: url.href });
  const file = join(await folder(t), 'file');
  await writeFile(file, 'text');
  const fault = await t.throwsAsync(storage.put('a', file), { name: 'StorageFault' });
  t.like(fault.cause, { name: 'NoSuchBucket' });
  await t.notThrowsAsync(writeFile(file, 'text', { flag: 'r+' }));
});

test('a STORAGE_URL that is none is refused, without being quoted', t => {
  for (const storage_url of [
    'ftp://example.com/a',
    's3:',
    's3://key:hunter2@',
    's3://key:hunter2@bucket?regoin=eu',
    's3://key:hunter2@bucket?endpoint=ftp://x',
    'file://host/path',
    'nothing',
  ]) {
    const error = t.throws(() => readConfig({ STORAGE_URL: storage_url }), undefined, storage_url);
    t.regex(error?.message ?? '', /\n {2}STORAGE_URL: It must be /);
    t.notRegex(error?.message ?? '', /hunter2/);
  }
});
