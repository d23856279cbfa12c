import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { unzipAll, unzipLists } from '#shared/screening/lists/unzip.ts';
import { fixture, folderOf, readAll, refusal } from '#test/fixtures/lists/reading.ts';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import ZipStream from 'zip-stream';

test('a list in a ZIP archive is read like its files, and is the same version', async t => {
  const names = await readdir(fixture('ofac'));
  const files = Object.fromEntries(
    await Promise.all(
      names
        .filter(name => /csv$/i.test(name))
        .map(async name => [`SDN/${name}`, await readFile(fixture(`ofac/${name}`))] as const),
    ),
  );
  const folder = await folderOf(t, {
    'sdn_csv.zip': await zipOf({ ...files, 'readme.txt': 'notes', '__MACOSX/sdn.csv': 'x' }),
    'un.zip': await zipOf({ 'consolidated.xml': await readFile(fixture('un.xml')) }),
  });
  const [packed, plain] = [
    await readAll('ofac-sdn', join(folder, 'sdn_csv.zip')),
    await readAll('ofac-sdn', fixture('ofac')),
  ];
  t.deepEqual(packed.entries, plain.entries);
  t.is(packed.summary.sha256, plain.summary.sha256);
  t.is((await readAll('un-xml', join(folder, 'un.zip'))).entries.length, 2);
});

test('an archive that is damaged, without a list, ambiguous or full of files is refused, and says so', async t => {
  const good = await zipOf({ 'sdn.csv': 'x'.repeat(10_000) });
  const says = (bytes: Buffer) => refusal(t, 'ofac-sdn', 'sdn.zip', bytes);
  t.regex(await says(good.subarray(0, 60)), /^sdn\.zip: is a ZIP archive that cannot be unpacked \(.*fetch it again$/);
  const damaged = Buffer.from(good);
  damaged.fill(0xff, 40, 50);
  t.regex(await says(damaged), /^sdn\.zip: is a ZIP archive that cannot be unpacked/);
  const changed = Buffer.from(good);
  // The checksum in the directory at the end: 16 bytes after the beginning of its record.
  changed.writeUInt32LE(1, changed.lastIndexOf(Buffer.from('PK\u0001\u0002', 'latin1')) + 16);
  t.regex(await says(changed), /cannot be unpacked \(the checksum of sdn\.csv is wrong\)/);
  t.regex(await says(await zipOf({ 'readme.txt': 'x' })), /holds no file of a list/);
  t.regex(await says(await zipOf({ 'a/sdn.csv': 'x', 'b/SDN.csv': 'y' })), /holds two files of one name/);
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}.csv`, 'x']));
  t.regex(await says(await zipOf(many)), /holds 60 files/);
});

test('an archive that would fill the disk is refused before it is unpacked, and one that lies about it while it is', async t => {
  const bomb = await zipOf({ 'sdn.csv': Buffer.alloc(3_000_000) });
  const lying = Buffer.from(bomb);
  // The uncompressed size in the directory at the end: 24 bytes after the beginning of its record.
  lying.writeUInt32LE(1_000, lying.lastIndexOf(Buffer.from('PK\u0001\u0002', 'latin1')) + 24);
  const folder = await folderOf(t, { 'bomb.zip': bomb, 'lying.zip': lying });
  const unzip = (name: string) => unzipLists(join(folder, name), folder, 2_000_000);
  await t.throwsAsync(unzip('bomb.zip'), { name: 'ListError', message: /^bomb\.zip: would unpack to 3 MB/ });
  await t.throwsAsync(unzip('lying.zip'), {
    name: 'ListError',
    message: /^lying\.zip: is a ZIP archive that cannot be/,
  });
  t.deepEqual(await readdir(folder), ['bomb.zip', 'lying.zip']);
});

test('archives among the files of a list are unpacked beside them', async t => {
  const folder = await folderOf(t, {
    'one.zip': await zipOf({ 'csv/sdn.csv': '36', 'csv/alt.csv': 'x' }),
    'add.csv': 'y',
  });
  await unzipAll(folder);
  t.deepEqual((await readdir(folder)).toSorted(), ['add.csv', 'alt.csv', 'sdn.csv']);
});

/** A ZIP archive of these files, compressed. */
async function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipStream({});
  const bytes = buffer(zip);
  for (const [name, content] of Object.entries(files))
    await new Promise<void>((resolve, reject) =>
      zip.entry(Readable.from([Buffer.from(content)]), { name, date: new Date(0) }, error =>
        error ? reject(error) : resolve(),
      ),
    );
  zip.finish();
  return bytes;
}
