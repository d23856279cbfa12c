import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import test from 'ava';
import { verifyPack } from '#shared/packs/verify.mjs';
import { makePack, zipped } from '#test/helpers/pack_zip.ts';
import { little, type RawFile, rawZip } from '#test/helpers/raw_zip.ts';
import { desk, failuresOf, unpacked, verified } from '#test/helpers/verify_pack.ts';

const { files, keys } = await makePack();
const sound = (): RawFile[] => [...files].map(([name, content]) => ({ name, content }));
const extra = (file: Partial<RawFile> = {}): RawFile => ({ name: 'more', content: Buffer.from('more'), ...file });

/** The archive with one more file. */
const withMore = (file: Partial<RawFile>) => rawZip([...sound(), extra(file)]);
/** The archive with something said wrongly of its first file. */
const withFirst = (change: Partial<RawFile>) =>
  rawZip(sound().map((file, index) => (index === 0 ? { ...file, ...change } : file)));
const wide = (...values: number[]) =>
  Buffer.concat([little(2, 1, 2, 8 * values.length), ...values.map(value => little(8, value))]);
const size = files.get('events.jsonl')?.length ?? 0;

test('a ZIP by other programs is read too: data descriptors of any form, folders, ZIP64 sizes', async t => {
  const descriptor = ({ name, content }: RawFile, width: number, signature: boolean) => {
    const body = little(4, crc32(content), width, content.length, width, content.length);
    return {
      name,
      content,
      both: { flags: 8 },
      after: Buffer.concat([signature ? little(4, 0x08074b50) : little(), body]),
    };
  };
  const unknown = { local: { crc: 0, packed: 0, size: 0 } };
  for (const [width, signature] of [
    [4, true],
    [4, false],
    [8, true],
    [8, false],
  ] as const)
    t.true(
      (await verified(t, rawZip(sound().map(file => ({ ...descriptor(file, width, signature), ...unknown }))), keys))
        .ok,
    );
  const folder = { name: 'log/', content: Buffer.alloc(0), mode: 0o040755 };
  t.true((await verified(t, rawZip([folder, ...sound()]), keys)).ok);
  const max = { packed: 0xffffffff, size: 0xffffffff, extra: wide(size, size) };
  t.true((await verified(t, withFirst({ local: max, central: max }), keys)).ok);
  t.true((await verified(t, rawZip(sound().map(file => ({ ...file, both: { method: 8 } }))), keys)).ok);
});

/** What is done to an archive, and what is said of it. */
const hostile: Record<string, [zip: () => Buffer, failure: RegExp]> = {
  'a path out of the folder': [() => withMore({ name: '../more' }), /\.\.\/more: is no name/],
  'an absolute path': [() => withMore({ name: '/etc/passwd' }), /\/etc\/passwd: is no name/],
  'a path on a drive': [() => withMore({ name: 'C:more' }), /is no name/],
  'a path with a backslash': [() => withMore({ name: 'log\\more' }), /is no name/],
  'a path with a NUL': [() => withMore({ name: 'more\0.txt' }), /is no name/],
  'a path with a dot within': [() => withMore({ name: 'log/./more' }), /is no name/],
  'a path that is empty': [() => withMore({ name: '' }), /is no name/],
  'a name beyond ASCII': [() => withMore({ name: 'm\u00f6re' }), /is no name/],
  'a file twice': [() => rawZip([...sound(), ...sound().slice(0, 1)]), /events\.jsonl: is in the archive twice/],
  'a file twice, in capitals': [() => withMore({ name: 'EVENTS.jsonl' }), /EVENTS\.jsonl: is in the archive twice/],
  'a file that is not listed': [() => withMore({}), /files: more: is not listed in manifest\.json/],
  'a second name for a file': [
    () => withMore({ both: { extra: little(2, 0x7075, 2, 5, 1, 1, 4, 0) } }),
    /more: has an extra field that is damaged or ambiguous/,
  ],
  'another name before the data': [
    () => withMore({ local: { name: Buffer.from('less') } }),
    /more: has another header than the directory/,
  ],
  'other flags before the data': [() => withMore({ local: { flags: 0x0800 } }), /more: has another header/],
  'another method before the data': [() => withMore({ local: { method: 8 } }), /more: has another header/],
  'another size before the data': [() => withMore({ local: { size: 3 } }), /more: has another header/],
  'another CRC before the data': [() => withMore({ local: { crc: 3 } }), /more: has another header/],
  'an encrypted file': [() => withMore({ both: { flags: 1 } }), /more: is encrypted/],
  'a strongly encrypted file': [() => withMore({ both: { flags: 0x40 } }), /more: is encrypted/],
  'a method that nobody knows': [() => withMore({ central: { method: 14 } }), /more: is compressed by a method \(14\)/],
  'a symbolic link': [() => withMore({ mode: 0o120777 }), /more: is a link/],
  'a device': [() => withMore({ mode: 0o020666 }), /more: is a link or something else/],
  'a file on another disk': [() => withMore({ disk: 1 }), /more: is on another disk/],
  'a comment on a file': [() => withMore({ comment: 'PK' }), /more: has a comment/],
  'files that overlap': [() => withMore({ offset: 0 }), /overlaps|other header/],
  'data that reaches into the directory': [
    () => withMore({ both: { size: 5_000, packed: 5_000 } }),
    /more: overlaps the file after it/,
  ],
  'something between two files': [() => withFirst({ after: Buffer.from('hidden') }), /is followed by something/],
  'something before the first file': [() => rawZip(sound(), { before: Buffer.from('#!') }), /leaves a gap/],
  'something after the end': [() => rawZip(sound(), { after: Buffer.from('x') }), /does not end as a ZIP archive/],
  'a comment': [() => rawZip(sound(), { comment: 'hello' }), /without a comment/],
  'another archive in the comment': [
    () => rawZip(sound(), { comment: rawZip([extra()]).toString('latin1') }),
    /directory of the archive does not reach|without a comment|leaves a gap/,
  ],
  'several disks': [() => rawZip(sound(), { end: { disk: 1 } }), /several disks/],
  'more files than the end record says': [
    () => rawZip(sound(), { end: { here: 3, total: 3 } }),
    /another number of files/,
  ],
  'fewer files than the end record says': [
    () => rawZip(sound(), { end: { here: 99, total: 99 } }),
    /another number of files/,
  ],
  'more files than a pack may have': [
    () => rawZip(sound(), { end: { here: 65_534, total: 65_534 } }),
    /more than 1000 files/,
  ],
  'a directory elsewhere': [() => rawZip(sound(), { end: { start: 0 } }), /does not reach to its end/],
  'ZIP64 sizes without ZIP64': [() => rawZip(sound(), { end: { start: 0xffffffff } }), /no ZIP64 end record/],
  'a ZIP64 size that is missing': [
    () => withFirst({ both: { size: 0xffffffff } }),
    /no ZIP64 field where it needs one/,
  ],
  'a ZIP64 size that is not needed': [
    () => withFirst({ both: { extra: wide(size) } }),
    /ZIP64 field that it does not need/,
  ],
  'two ZIP64 sizes': [
    () => withFirst({ both: { size: 0xffffffff, extra: Buffer.concat([wide(size), wide(1)]) } }),
    /damaged or ambiguous/,
  ],
  'an extra field that is cut off': [() => withFirst({ both: { extra: little(2, 9, 2, 9) } }), /damaged or ambiguous/],
  'a wrong CRC': [() => withFirst({ both: { crc: 1 } }), /files: events\.jsonl: has another CRC/],
  'a size that is too small': [
    () => withFirst({ both: { method: 8, size: size - 1 } }),
    /files: events\.jsonl: has [\d,]+ bytes, and in manifest\.json/,
  ],
  'a bomb that claims what it cannot hold': [
    () => withMore({ both: { method: 8, size: 2 ** 31 } }),
    /more: has a size that its data cannot have/,
  ],
  'a folder with content': [() => withMore({ name: 'more/', mode: 0o040755 }), /more\/: is a folder with content/],
};

for (const [title, [zip, failure]] of Object.entries(hostile))
  test(`an archive is refused for ${title}`, async t => {
    const result = await verified(t, zip(), keys);
    t.is(result.verdict, 'failed');
    t.regex(failuresOf(result).join('\n'), failure);
  });

test('a file that inflates to more than its size is inflated no further', async t => {
  const content = Buffer.alloc(200_000_000);
  const bomb = (name: string) =>
    rawZip(
      sound().map(file =>
        file.name === name ? { name, content, both: { method: 8, size: file.content.length } } : file,
      ),
    );
  for (const name of ['manifest.json', 'report.pdf', 'events.jsonl'])
    t.regex(failuresOf(await verified(t, bomb(name), keys)).join('\n'), new RegExp(`${name}: inflates to more than`));
});

test('an archive that is cut off anywhere is refused', async t => {
  const zip = await zipped(files);
  for (let end = 0; end < zip.length; end += 97)
    t.is((await verified(t, zip.subarray(0, end), keys)).verdict, 'failed');
});

test('in a folder nothing may be but the files of the pack', async t => {
  const outside = join(await desk(t), 'events.jsonl');
  await writeFile(outside, files.get('events.jsonl') ?? '');
  const changes: [change: (folder: string) => Promise<unknown>, failure: RegExp][] = [
    [folder => writeFile(join(folder, 'more'), ''), /files: more: is not listed/],
    [folder => writeFile(join(folder, '.hidden'), ''), /\.hidden: is no name/],
    [folder => rm(join(folder, 'case.json')), /files: case\.json: is listed in manifest\.json, and is missing/],
    [folder => truncate(join(folder, 'report.pdf'), 2), /files: report\.pdf: has 2 bytes/],
    [folder => linked(folder, 'events.jsonl', outside), /events\.jsonl: is a link/],
    [folder => linked(folder, 'log', join(outside, '..')), /log: is a link/],
    [folder => rename(join(folder, 'case.json'), join(folder, 'Case.json')), /files: case\.json: is listed .* missing/],
    [
      folder => writeFile(join(folder, 'Events.jsonl'), ''),
      /files: (Events\.jsonl: is not listed|events\.jsonl: has 0)/,
    ],
    [folder => mkdir(join(folder, 'a/b/c/d/e/f/g'), { recursive: true }), /is no name/],
    [folder => rm(join(folder, 'manifest.jws')), /manifest\.jws: is missing/],
    [folder => rm(join(folder, 'manifest.json')), /manifest\.json: is missing/],
  ];
  for (const [change, failure] of changes) {
    const folder = await unpacked(t, files);
    await change(folder);
    const result = await verifyPack(folder, { keys });
    t.is(result.verdict, 'failed');
    t.regex(failuresOf(result).join('\n'), failure);
  }
});

test('a file that the format does not know is held against the manifest like any other', async t => {
  for (const name of ['more', 'constructor', 'report.extra', 'log/more']) {
    const pack = await makePack({ write: all => void all.set(name, Buffer.from('more')) });
    const folder = await unpacked(t, pack.files);
    t.true((await verifyPack(folder, pack)).ok, name);
    await writeFile(join(folder, name), 'less');
    t.deepEqual(failuresOf(await verifyPack(folder, pack)), [
      `files: ${name}: has another SHA-256 than in manifest.json: it was changed`,
    ]);
  }
});

test('what is no pack at all gets a verdict too', async t => {
  const folder = await desk(t);
  for (const path of [folder, join(folder, 'none'), '/dev/null', ''])
    t.is((await verifyPack(path, { keys })).verdict, 'failed', path);
});

async function linked(folder: string, name: string, target: string): Promise<void> {
  await rm(join(folder, name), { recursive: true });
  await symlink(target, join(folder, name));
}
