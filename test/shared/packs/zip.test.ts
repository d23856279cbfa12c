import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createZip } from '#shared/packs/zip.ts';

const date = new Date('2026-11-20T23:59:58.123Z');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

async function desk(t: ExecutionContext): Promise<(name: string) => string> {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-zip-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return name => join(folder, name);
}

async function* slowly(text: string, pieces: number) {
  for (let piece = 0; piece < pieces; piece += 1) yield text;
}

async function make(path: string, always_zip64 = false) {
  const zip = await createZip(path, date, { always_zip64 });
  const files = [
    await zip.add('events.jsonl', slowly('{"a":1}\n', 50_000)),
    await zip.add('empty', []),
    await zip.add('log/checkpoint', ['é', Buffer.from([0, 255])]),
  ];
  return { files, made: await zip.finish() };
}

test('a ZIP says of every file, and of itself, how large it is and what its hash is', async t => {
  const at = await desk(t);
  const { files, made } = await make(at('a.zip'));
  t.deepEqual(files, [
    { path: 'events.jsonl', size: 400_000, sha256: sha256('{"a":1}\n'.repeat(50_000)) },
    { path: 'empty', size: 0, sha256: sha256('') },
    { path: 'log/checkpoint', size: 4, sha256: sha256(Buffer.concat([Buffer.from('é'), Buffer.from([0, 255])])) },
  ]);
  const bytes = await readFile(at('a.zip'));
  t.deepEqual(made, { size_bytes: bytes.length, sha256: sha256(bytes) });
});

test('the same files give the same ZIP, in any time zone', async t => {
  const at = await desk(t);
  const first = await make(at('a.zip'));
  const zone = process.env['TZ'];
  t.teardown(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  process.env['TZ'] = 'Pacific/Kiritimati';
  t.deepEqual((await make(at('b.zip'))).made, first.made);
});

test('other programs read the ZIP, with and without ZIP64', async t => {
  const at = await desk(t);
  for (const [name, always_zip64] of [
    ['plain.zip', false],
    ['zip64.zip', true],
  ] as const) {
    await make(at(name), always_zip64);
    // Node ships a program that reads ZIPs nowhere; python does, where there is one.
    const script =
      'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip(), [(i.filename,i.file_size,i.date_time) for i in z.infolist()])';
    const read = run('python3', ['-c', script, at(name)]);
    if (read === null) t.log('no python3: not read by another program');
    else
      t.is(
        read.trim(),
        "None [('events.jsonl', 400000, (2026, 11, 20, 23, 59, 58)), ('empty', 0, (2026, 11, 20, 23, 59, 58)), ('log/checkpoint', 4, (2026, 11, 20, 23, 59, 58))]",
      );
  }
});

test('a file that breaks off while it is read, and a place that cannot be written, are errors', async t => {
  const at = await desk(t);
  const zip = await createZip(at('a.zip'), date);
  async function* broken() {
    yield randomBytes(100_000);
    throw new Error('the database is gone');
  }
  await t.throwsAsync(zip.add('a', broken()), { message: 'the database is gone' });
  zip.abort();
  const nowhere = await createZip(at('no/such/folder.zip'), date);
  await t.throwsAsync(nowhere.add('a', slowly('x'.repeat(100_000), 50)), { code: 'ENOENT' });
  nowhere.abort();
});

function run(program: string, args: string[]): string | null {
  try {
    return execFileSync(program, args, { encoding: 'utf8' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
