import { execFileSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import test from 'ava';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { runLine } from '#test/helpers/process.ts';
import { copyProject, startsWhole } from '#test/helpers/production.ts';

// The folders of other versions of Node; `.ci/run` brings them.
const nodes = (process.env['TEST_RUNTIMES'] ?? '').split(delimiter).filter(Boolean);

for (const node of nodes)
  test(`\`npm ci --omit=dev && npm start\` is the whole service where the machine has Node ${versionOf(node)}`, async t => {
    const folder = await temporaryFolder(t);
    // Run as root, PostgreSQL is started as another user, who has to get there.
    await chmod(folder, 0o711);
    copyProject(folder);
    const npm = dirname(execFileSync('which', ['npm'], { encoding: 'utf8' }));
    const PATH = [node, npm, '/usr/bin', '/bin'].join(delimiter);
    const installed = await runLine(t, 'npm ci --omit=dev --prefer-offline --no-audit', folder, { PATH }).ended;
    t.is(installed.code, 0, installed.stderr);
    const { stdout } = await runLine(t, 'node --version', folder, { PATH }).ended;
    t.is(stdout.trim(), versionOf(node));
    await startsWhole(t, folder, { PATH });
  });
if (nodes.length === 0)
  test.skip('`npm ci --omit=dev && npm start` with other versions of Node: TEST_RUNTIMES names none', () => {});

function versionOf(node: string): string {
  return execFileSync(join(node, 'node'), ['--version'], { encoding: 'utf8' }).trim();
}
