import { writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { runAdmin } from '#bin/admin/run_admin.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { fakeIngest } from '#test/helpers/fake_ingest.ts';

/** A folder with a key, and the command on what is put there. */
export async function ingestDesk(t: ExecutionContext, options: Parameters<typeof fakeIngest>[1] = {}) {
  const folder = await temporaryFolder(t);
  const service = await fakeIngest(t, options);
  const path = (name: string) => join(folder, name);
  const put = (name: string, content: string | Buffer) => writeFile(path(name), content).then(() => path(name));
  const key_file = await put('key', 'hk_test_secret\n');
  const admin = adminOf(t, { DATA_DIR: path('data') });
  const words = (files: string[]) => ['ingest', ...files, '--key-file', key_file, '--url', service.url];
  return {
    ...service,
    folder,
    path,
    put,
    admin,
    words,
    ingest: (...files: string[]) => admin.json(...words(files)),
    error: (...files: string[]) => admin.error(...words(files)),
    /** The command on standard input; files that options name are in the folder. */
    async pipe(input: string, ...options: string[]) {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const stdin = Readable.from([Buffer.from(input)]);
      const named = options.map(word => (word.startsWith('--') ? word : path(word)));
      const code = await runAdmin([...words(['-']), '--rejects', path('rejects'), ...named], { stdout, stderr, stdin });
      stdout.end();
      stderr.end();
      return { code, stdout: await text(stdout), stderr: await text(stderr) };
    },
    rejects: async (name: string) =>
      (await readFile(path(name), 'utf8'))
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
  };
}

/** Lines of so many events, by five agents. */
export const eventLines = (count: number, from = 0) =>
  Array.from(
    { length: count },
    (_, index) => `{"id":"evt_${from + index}","agent":{"external_id":"a${index % 5}"}}\n`,
  ).join('');
