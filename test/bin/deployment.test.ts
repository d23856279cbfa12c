import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { queryAt, temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { type Child, addressOf, runLine } from '#test/helpers/process.ts';
import { installProduction } from '#test/helpers/production.ts';
import { hasRedis, testRedis } from '#test/helpers/redis.ts';

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

test('what the image and compose.yaml run migrates, becomes ready, says so to its health check, and ends cleanly at SIGTERM', async t => {
  const { tree, settings } = await image(t);
  const start = (type: string, ports: Lines) =>
    runLine(t, services[type]?.command ?? '', tree, { ...settings, ...ports });
  const release = await start('release', {}).ended;
  t.is(release.code, 0, release.stderr);
  t.regex(release.stdout, /^Ran 0001/);

  const running = containers
    .filter(([type]) => type !== 'release')
    .map(([type, { healthcheck }]) => {
      const service = start(type, { PORT: '0', METRICS_PORT: '0' });
      const check = healthcheck?.test ?? JSON.parse(instruction('HEALTHCHECK.* CMD').replace(/^.*? CMD /, ''));
      return { type, service, check: shellLine(check.filter((word: string) => word !== 'CMD')) };
    });
  for (const { type, service, check } of running) {
    const port = type === 'web' ? new URL(await addressOf(service)).port : await metricsPort(service);
    const metrics = await fetch(`http://127.0.0.1:${await metricsPort(service)}/metrics`);
    t.regex(await metrics.text(), /^# HELP /m, type);
    const isHealthy = async () => {
      const { code, stderr } = await runLine(t, check.replace(/:\d+/, `:${port}`), tree, settings).ended;
      t.is(stderr, '', type);
      return code === 0;
    };
    t.true(await isHealthy(), type);
    service.kill('SIGTERM');
    t.is((await service.ended).code, 0, `${type}: ${service.output()}`);
    if (type === 'web') t.false(await isHealthy());
  }
});

const metricsPort = async (service: Child) => (await service.says(/"port":(\d+),"msg":"metrics listening"/))[1] ?? '';

/** The files and settings of a container of compose.yaml, with a database and a queue of the test's own. */
async function image(t: ExecutionContext) {
  const tree = await temporaryFolder(t);
  installProduction(tree);
  for (const path of /rm -r (.*)$/m.exec(containerfile)?.[1]?.split(' ') ?? [])
    await rm(join(tree, path), { recursive: true });
  await mkdir(join(tree, 'system'));
  await symlink(process.execPath, join(tree, 'system/node'));
  const data = join(tree, 'data');
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
  const contents: Lines = {
    database_url: await emptyDatabase(t),
    secret_key: randomBytes(32).toString('base64'),
    postgres_password: '',
  };
  t.deepEqual(Object.keys(secrets).toSorted(), Object.keys(contents).toSorted());
  for (const [name, value] of Object.entries(contents)) await writeFile(join(tree, name), `${value}\n`);
  const build = await runLine(t, instruction('RUN npm').replace(/^/, 'npm '), tree, { PATH: settings['PATH'] ?? '' })
    .ended;
  t.is(build.code, 0, build.stderr);
  return { tree, settings };
}

async function emptyDatabase(t: ExecutionContext): Promise<string> {
  const owner_url = process.env['TEST_OWNER_URL'] ?? '';
  const name = `deployed_${randomBytes(6).toString('hex')}`;
  await queryAt(owner_url, `create database ${name}`);
  t.teardown(async () => void (await queryAt(owner_url, `drop database ${name} with (force)`)));
  return Object.assign(new URL(owner_url), { pathname: `/${name}` }).href;
}
