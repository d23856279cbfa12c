import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createStorage } from '#shared/platform/storage/open_storage.ts';
import { listening } from '#test/helpers/listening.ts';
import { newId } from '#shared/interface/ids.ts';
import { DAY, HOUR } from '#shared/values/time.ts';

type Begun = { Key: string; UploadId: string; age: number };

/** A bucket with these uploads begun, which says what it was asked; `status` is its answer to the question for them. */
async function bucketWith(t: ExecutionContext, begun: readonly Begun[], status = 200) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const [upload, isList] = [searchParams.get('uploadId'), searchParams.has('uploads')];
    const target = upload ?? (isList ? searchParams.get('prefix') : pathname);
    asked.push(`${isList ? 'LIST' : request.method} ${target}`);
    request.resume();
    const uploads = begun.map(
      ({ Key, UploadId, age }) =>
        `<Upload><Key>${Key}</Key><UploadId>${UploadId}</UploadId><Initiated>${new Date(Date.now() - age).toISOString()}</Initiated></Upload>`,
    );
    response.writeHead(isList ? status : 200, { 'content-type': 'application/xml', etag: '"x"' });
    response.end(isList ? `<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>` : '');
  });
  const endpoint = encodeURIComponent(`http://127.0.0.1:${await listening(t, server)}`);
  const storage_url = `s3://key:secret@bucket/some/prefix?endpoint=${endpoint}`;
  const storage = await createStorage({ data_dir: '/nowhere', storage_url });
  const folder = await mkdtemp(join(tmpdir(), 'oversight-storage-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const put = async (name: string) => {
    await writeFile(join(folder, 'file'), 'text');
    await storage.put(name, join(folder, 'file'));
    return asked.splice(0);
  };
  return { put };
}

test('what a killed process had begun to upload is removed a week later, and what is others’ or under way stays', async t => {
  const org = newId('org', 0);
  const { put } = await bucketWith(t, [
    { Key: `some/prefix/packs/${org}/a.zip`, UploadId: 'old', age: 7 * DAY + HOUR },
    { Key: 'some/prefix/oversight-20260101T000000Z-0a1b2c3d.backup', UploadId: 'backup', age: 9 * DAY },
    { Key: `some/prefix/packs/${org}/b.zip`, UploadId: 'fresh', age: 7 * DAY - HOUR },
    { Key: 'some/prefix/packs/of-wool.zip', UploadId: 'another', age: 9 * DAY },
    { Key: 'some/prefix/night.backup', UploadId: 'another', age: 9 * DAY },
  ]);
  t.deepEqual(await put('packs/org/c.zip'), [
    'PUT /bucket/some/prefix/packs/org/c.zip',
    'LIST some/prefix/',
    'DELETE old',
    'DELETE backup',
  ]);
  t.deepEqual(
    await put('packs/org/d.zip'),
    ['PUT /bucket/some/prefix/packs/org/d.zip'],
    'and not looked for again that day',
  );
});

test('a key that may not list uploads can put files all the same', async t => {
  const { put } = await bucketWith(t, [], 403);
  t.deepEqual(await put('packs/org/a.zip'), ['PUT /bucket/some/prefix/packs/org/a.zip', 'LIST some/prefix/']);
});
