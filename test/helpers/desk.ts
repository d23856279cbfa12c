import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { startAll } from '#bin/all_in_one.ts';
import { readConfig } from '#shared/settings/config.ts';
import { adminOf } from './admin.ts';
import { testDatabase } from './database.ts';
import { freePort, listening } from './listening.ts';

type Said = { code: number; text: string };

/**
 * A reader's desk: the whole service, a folder that looks like the project's, and a shell whose exported variables last. What is typed
 * is taken literally, but for the service's address, a port to listen on, ids cut short (`pck_…` stands for the last one printed), and
 * `npm run -s admin`, which runs in this process: one of its own takes seconds.
 */
export async function openDesk(t: ExecutionContext) {
  const [database, folder, data_dir] = [
    await testDatabase(end => t.teardown(end)),
    await temporary(t),
    await temporary(t),
  ];
  for (const name of await readdir('.')) if (name !== '.git') await symlink(resolve(name), join(folder, name));
  const settings = {
    DATABASE_URL: database.owner_url,
    DATA_DIR: data_dir,
    SECRET_KEY: randomBytes(32).toString('base64'),
    PORT: '0',
    OPS_CREDENTIAL: 'ada:correct horse battery',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
  };
  const service = await startAll(readConfig(settings, {}), () => {});
  t.teardown(service.stop);
  const operator = await serveOperator(t, settings);
  const port = await freePort();
  const variables = join(data_dir, 'variables');
  const printed = new Map<string, string>();

  const spelled = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:3000', service.address)
      .replaceAll('4000', String(port))
      .replaceAll(/\b([a-z]{3}_|hk_test_|whsec_)…/g, (_, prefix: string) => printed.get(prefix) ?? `${prefix}…`);
  const note = (text: string) => {
    for (const [id, ...prefixes] of text.matchAll(secrets)) printed.set(prefixes.find(Boolean) ?? '', id);
  };
  const environment = { PATH: process.env['PATH'], HOME: folder, OPERATOR: operator, LC_ALL: 'C.UTF-8' };
  const inShell = (words: string[]): Promise<Said> =>
    new Promise(done => {
      const options = { cwd: folder, env: environment, encoding: 'utf8', timeout: 20_000 } as const;
      execFile('bash', words, options, (error, stdout, stderr) => {
        note(stdout);
        done({ code: error ? 1 : 0, text: stdout + (error ? stderr : '') });
      });
    });
  const withVariables = (text: string) => inShell(['-c', `${preamble}\n${text}\nexport -p > '${variables}'`]);
  await writeFile(variables, '');
  const preamble = `set -eo pipefail; source '${variables}'\n${shims}`;
  /** Writes a program to the file that its first line names, and answers with the command that runs it. */
  const keep = async (text: string) => {
    const name = /^\/\/ (\w+\.ts)$/m.exec(text)?.[1] ?? 'program.ts';
    await writeFile(join(folder, name), spelled(text));
    return `'${process.execPath}' ${name}`;
  };
  return {
    /** Runs commands as they stand in a document. */
    sh: (text: string) => withVariables(spelled(text)),
    /** Runs a program as it stands in a document, to its end. */
    ts: async (text: string) => withVariables(await keep(text)),
    /** Starts a program that serves; answers with what it has said so far. It ends with the test. */
    async serve({ language, text }: { language: string; text: string }): Promise<() => string> {
      const command = language === 'ts' ? await keep(text) : spelled(text);
      const child = spawn('bash', ['-c', `${preamble}\nexec ${command}`], { cwd: folder, env: environment });
      t.teardown(() => child.kill());
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (piece: string) => (said += piece));
      return () => said;
    },
  };
}

/** Ids, keys and secrets as they are printed, with what they begin with. */
const secrets = /\b(?:([a-z]{3}_)[0-9A-HJKMNP-TV-Z]{26}\b|(hk_test_)[A-Za-z0-9]{32}|(whsec_)[A-Za-z0-9+/]{43}=)/g;

/** curl says nothing but the answer and fails where that is an error; npm's operator is in the test's process. */
const shims = `
curl() { command curl --fail-with-body -sS "$@"; }
npm() {
  [ "$1 $2 $3 $4" = 'run -s admin --' ] || { echo "not an operator's command: npm $*" >&2; return 1; }
  shift 4
  local words=() word
  for word in "$@"; do
    case $word in *[./]*) [ -e "$word" ] && word=$(realpath "$word");; esac
    words+=("$word")
  done
  printf '%s\\0' "\${words[@]}" | curl --data-binary @- "$OPERATOR"
}`;

/** The operator's tool over HTTP: words ended by zero bytes in, what it wrote out; 500 where it failed. */
async function serveOperator(t: ExecutionContext, settings: Record<string, string>): Promise<string> {
  const admin = adminOf(t, settings);
  const server = createServer(async (request, response) => {
    const words = (await buffer(request)).toString().split('\0').slice(0, -1);
    const { code, stdout, stderr } = await admin.type(...words);
    response.writeHead(code === 0 ? 200 : 500).end(stdout + stderr);
  });
  return `http://127.0.0.1:${await listening(t, server)}`;
}

async function temporary(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-desk-'));
  await chmod(folder, 0o711);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
