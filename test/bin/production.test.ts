import { appendFile, chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { runLine } from '#test/helpers/process.ts';
import { installProduction, startsWhole } from '#test/helpers/production.ts';

const tree = await mkdtemp(join(tmpdir(), 'oversight production '));
test.before(async () => {
  // Run as root, PostgreSQL is started as another user, who has to get there.
  await chmod(tree, 0o711);
  installProduction(tree);
});
test.after.always(() => rm(tree, { recursive: true, force: true }));

test('what `npm ci --omit=dev` installs is the whole service with its dashboard, whatever Node the machine has', async t => {
  await startsWhole(t, tree);
});

test('the bundle of the dashboard is made once, and again when what it is made of has changed', async t => {
  const code = `import('#api/dashboard/bundle.ts').then(async ({ dashboardBundle }) => console.log((await dashboardBundle()).script.name))`;
  await writeFile(join(tree, 'bundle.js'), code);
  const bundle = () => runLine(t, 'bin/node bundle.js', tree, {}).ended;
  const made = await bundle();
  t.regex(made.stdout, /^dashboard-[0-9a-f]{16}\.js\n$/, made.stderr);
  await appendFile(join(tree, 'api/dashboard/browser/main.tsx'), `globalThis.name = 'changed';\n`);
  const changed = await bundle();
  t.regex(changed.stdout, /^dashboard-[0-9a-f]{16}\.js\n$/, changed.stderr);
  t.not(changed.stdout, made.stdout);
  await rm(join(tree, 'node_modules/esbuild/lib'), { recursive: true });
  t.is((await bundle()).stdout, changed.stdout);
  const kept = join(tree, 'node_modules/.cache/dashboard.json');
  await writeFile(kept, '{"made_of":{');
  t.regex((await bundle()).stderr, /esbuild/);
});

test('a machine without a Node that is new enough is told so in a sentence', async t => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'bin'));
  await copyFile('bin/node', join(folder, 'bin/node'));
  const system = join(folder, 'system');
  await mkdir(system);
  for (const [version, isEnough] of [
    ['v20.20.2', false],
    ['v22.23.3', false],
    ['v24.9.0', false],
    ['v24.11.1', false],
    ['v24.12.0', true],
    ['v24.21.0', true],
    ['v25.0.0', true],
    ['v30.1.0', true],
  ] as const) {
    await writeFile(join(system, 'node'), `#!/bin/sh\necho ${version}\n`);
    await chmod(join(system, 'node'), 0o755);
    // The folder of the program itself on the PATH does not send it round in circles.
    const PATH = [system, join(folder, 'bin'), '/usr/bin', '/bin'].join(':');
    const { code, stdout, stderr } = await runLine(t, 'bin/node x.ts', folder, { PATH }).ended;
    t.deepEqual([code, stdout], isEnough ? [0, `${version}\n`] : [1, ''], version);
    if (!isEnough)
      t.regex(stderr, new RegExp(`^This service needs Node 24\\.12 or newer: .*the machine has ${version}\\.\n$`));
  }
});
