import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { createPool } from '#shared/platform/db.ts';
import { preparedFolder, queryAt, temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { event } from '#test/helpers/make.ts';
import { blocksOf } from '#test/helpers/papers.ts';
import { addressOf, runLine, runLines } from '#test/helpers/process.ts';
import { installProduction } from '#test/helpers/production.ts';
import { hasRedis, testRedis } from '#test/helpers/redis.ts';
import { until } from '#test/helpers/until.ts';

// The written ways to run the service: Procfile, Containerfile, compose.yaml, and the systemd units of docs/operating.md. No container is
// made here; their commands are run as they stand, with the settings that they give.

type Lines = Record<string, string>;
type Container = { image: string; command: string; environment: Lines; healthcheck?: { test?: string[] } };

const procfile: Lines = Object.fromEntries(
  readFileSync('Procfile', 'utf8')
    .trim()
    .split('\n')
    .map(line => line.split(': ') as [string, string]),
);

const containerfile = readFileSync('Containerfile', 'utf8');
/** What follows a word at the beginning of a line of the Containerfile, of its last stage. */
const instruction = (word: string) =>
  new RegExp(`^${word} (.*)$`, 'm').exec(containerfile.split(/^FROM /m).at(-1) ?? '')?.[1] ?? '';

const { services, secrets } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
  services: Record<string, Container>;
  secrets: Record<string, { file: string }>;
};
const containers = Object.entries(services).filter(([, { image }]) => image === 'agent-payment-oversight');

/** The command of each unit of docs/operating.md, where the project lies. */
const units: Lines = Object.fromEntries(
  [...readFileSync('docs/operating.md', 'utf8').matchAll(/^ExecStart=\/opt\/oversight\/(.*)$/gm)].flatMap(
    ([, command = '']) =>
      command.endsWith('%i')
        ? ['detect', 'screen', 'webhook', 'schedule'].map(type => [type, command.replace('%i', type)])
        : Object.entries(procfile).filter(([, line]) => line === command),
  ),
);

test('Procfile, compose.yaml and the systemd units start the same processes by the same commands', t => {
  t.deepEqual(Object.fromEntries(containers.map(([type, { command }]) => [type, command])), procfile);
  t.deepEqual(units, procfile);
  t.is(shellLine(JSON.parse(instruction('CMD'))), procfile['web'] ?? '');
});

/** A command as words, as a line for a shell. */
const shellLine = (words: string[]) =>
  words.map(word => (/^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');

test('what the image and compose.yaml run migrates; three commands take a service from one machine to many processes, each ready, healthy, and ended cleanly at SIGTERM', async t => {
  const { tree, settings, database_url } = await image(t);
  const release = await runLine(t, services['release']?.command ?? '', tree, settings).ended;
  t.is(release.code, 0, release.stderr);
  t.regex(release.stdout, /^Ran 0001/);

  const { DATABASE_URL_FILE, REDIS_URL = '', ...alone } = settings;
  t.is(DATABASE_URL_FILE, join(tree, 'database_url'));
  const key = await anOrganization(alone['DATA_DIR'] ?? '');
  const commands = blocksOf('README.md').find(({ text }) => text.includes('admin -- move'))?.text ?? '';
  t.is(commands.split('\n').length, 3);
  const lines = commands
    .replaceAll('postgres://oversight:password@db.example.com/oversight', database_url)
    .replace('redis://queue.example.com', REDIS_URL)
    // The image has no PostgreSQL to move from: the first command is given where the service ran before.
    .replace('\n', `\ncd '${tree}'\n`);
  const all = runLines(t, lines, '.', { ...alone, PORT: '0', METRICS_PORT: '0' });

  const address = await addressOf(all);
  for (const [type, { healthcheck }] of containers.filter(([name]) => name !== 'release')) {
    const metrics_port = (await all.says(new RegExp(`"service":"${type}","port":(\\d+),"msg":"metrics listening"`)))[1];
    const port = type === 'web' ? new URL(address).port : metrics_port;
    const metrics = await fetch(`http://127.0.0.1:${metrics_port}/metrics`);
    t.regex(await metrics.text(), /^# HELP /m, type);
    const test: string[] = healthcheck?.test ?? JSON.parse(instruction('HEALTHCHECK.* CMD').replace(/^.*? CMD /, ''));
    const check = shellLine(test.filter(word => word !== 'CMD'));
    const health = async (at: string) => runLine(t, check.replace(/:\d+/, `:${at}`), tree, settings).ended;
    t.like(await health(port ?? ''), { code: 0, stderr: '' }, type);
    if (type === 'web') t.not((await health('1')).code, 0);
  }

  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = await fetch(`${address}/v1/events`, { method: 'POST', headers, body: JSON.stringify(event()) });
  t.is(sent.status, 201, 'the key came along');
  await until(async () => (await (await fetch(`${address}/v1/log`, { headers })).json()).analyzed_seq === 1);
  all.kill('SIGTERM');
  t.is((await all.ended).code, 0, all.output());
});

/** Makes an organization in a data folder, and answers with a key of it. */
async function anOrganization(data_dir: string): Promise<string> {
  const { service_url, close } = await openEmbeddedPostgres({ data_dir });
  const db = await createPool(service_url, { max: 1, application_name: 'test' });
  try {
    const now = Date.now();
    const { id: org_id } = await createOrganization(db, 'sandbox', 'Acme', now);
    const wanted = {
      org_id,
      environment: 'sandbox',
      env: 'test',
      name: 'first',
      scopes: allScopes,
      created_by: null,
    } as const;
    return (await createApiKey(db, wanted, now)).key;
  } finally {
    await db.end();
    await close();
  }
}

/** The files and settings of a container of compose.yaml, with a database and a queue of the test's own. */
async function image(t: ExecutionContext) {
  const tree = await temporaryFolder(t);
  installProduction(tree);
  for (const path of [...containerfile.matchAll(/rm -r (.*)$/gm)].flatMap(([, paths = '']) => paths.split(' ')))
    await rm(join(tree, path), { recursive: true });
  await mkdir(join(tree, 'system'));
  await symlink(process.execPath, join(tree, 'system/node'));
  const data = await preparedFolder(t);
  const set: Lines = {
    ...Object.fromEntries(
      instruction('ENV')
        .split(' ')
        .map(setting => setting.split('=') as [string, string]),
    ),
    ...services['web']?.environment,
    HOST: '127.0.0.1',
    PATH: `${join(tree, 'system')}:${process.env['PATH']}`,
    REDIS_URL: hasRedis ? await testRedis(t) : '',
  };
  const settings = Object.fromEntries(
    Object.entries(set).map(([name, value]) => [
      name,
      value
        .replace(/\$\{\w+:-(.*?)\}/, '$1')
        .replace(/^\/data$/, data)
        .replace(/^\/run\/secrets/, tree),
    ]),
  );
  const database_url = await emptyDatabase(t);
  const contents: Lines = {
    database_url,
    secret_key: randomBytes(32).toString('base64'),
    postgres_password: '',
  };
  t.deepEqual(Object.keys(secrets).toSorted(), Object.keys(contents).toSorted());
  for (const [name, value] of Object.entries(contents)) await writeFile(join(tree, name), `${value}\n`);
  const build = await runLine(t, instruction('RUN npm').replace(/^/, 'npm '), tree, { PATH: settings['PATH'] ?? '' })
    .ended;
  t.is(build.code, 0, build.stderr);
  return { tree, settings, database_url };
}

async function emptyDatabase(t: ExecutionContext): Promise<string> {
  const owner_url = process.env['TEST_OWNER_URL'] ?? '';
  const name = `deployed_${randomBytes(6).toString('hex')}`;
  await queryAt(owner_url, `create database ${name}`);
  t.teardown(async () => void (await queryAt(owner_url, `drop database ${name} with (force)`)));
  return Object.assign(new URL(owner_url), { pathname: `/${name}` }).href;
}
