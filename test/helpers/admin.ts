import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { runAdmin } from '#bin/admin/run_admin.ts';
import { ErrorBody } from '#shared/interface/schemas.ts';
import { type Ended, run } from './process.ts';
import type { World } from './world.ts';

/** The settings by which the operator's tool reaches the database of a world. */
export const settingsOf = ({ database, config }: Pick<World, 'database' | 'config'>) => ({
  DATABASE_URL: database.owner_url,
  SECRET_KEY: config.secret_key[0].toString('base64'),
});

/** The operator's tool on this database or data directory, as somebody types it, within this process: a process of its own takes seconds. */
export const adminOf = (t: ExecutionContext, settings: Record<string, string>) =>
  typist(t, async words => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const typed = runAdmin(words, { stdout, stderr, settings }).finally(() => {
      stdout.end();
      stderr.end();
    });
    const [said, complained, code] = await Promise.all([text(stdout), text(stderr), typed]);
    return { code, signal: null, stdout: said, stderr: complained };
  });

/** The same as a process of its own, where that is the point. */
export const adminProcessOf = (t: ExecutionContext, settings: Record<string, string>) =>
  typist(t, words => run(t, 'bin/admin.ts', words, settings).ended);

function typist(t: ExecutionContext, runWords: (words: string[]) => Promise<Ended>) {
  const type = (...words: string[]) => runWords(words);
  return {
    type,
    /** What a command answers with --json. */
    async json(...words: string[]) {
      const { code, stdout, stderr } = await type(...words, '--json');
      t.is(code, 0, `${words.join(' ')}: ${stderr}`);
      t.is(stderr, '');
      t.is(stdout.split('\n').length, 2, 'one line');
      return JSON.parse(stdout);
    },
    /** The error that a command ends with: exit code, and the error body, which stands alone on stderr. */
    async error(...words: string[]) {
      const { code, stdout, stderr } = await type(...words, '--json');
      t.is(stdout, '', words.join(' '));
      const body = ErrorBody.parse(JSON.parse(stderr));
      t.regex(body.request_id, /^req_/);
      return { exit: code, ...body.error };
    },
  };
}
