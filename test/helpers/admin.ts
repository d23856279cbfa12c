import type { ExecutionContext } from 'ava';
import { ErrorBody } from '#shared/schemas.ts';
import { run } from './process.ts';

/** The operator's tool on this database or data directory, as somebody types it. */
export function adminOf(t: ExecutionContext, settings: Record<string, string>) {
  const type = (...words: string[]) => run(t, 'bin/admin.ts', words, settings).ended;
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
