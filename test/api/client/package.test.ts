import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { build } from 'esbuild';
import { fakeIngest } from '#test/helpers/fake_ingest.ts';

const run = promisify(execFile);

const program = `
import { card, createClient, observeX402, OversightError, paymentEvent, verifyWebhook } from 'agent-payment-oversight/client';
import type { DataOf, ItemOf } from 'agent-payment-oversight/client';

declare const process: { argv: string[] };
const client = createClient({ url: process.argv[2] ?? '', key: 'k' });
const me: DataOf<'GET /v1/me'> = await client.call('GET /v1/me');
const paid = card({ amount: '12.50', currency: 'EUR', psp: 'stripe', merchant: 'acct_1' });
await client.events.add(paymentEvent('settled', { payment_id: 'order-1', agent: 'buyer-1', owner: 'team-1', paid }));
await client.events.close();
const kept = paymentEvent('refunded', { payment_id: 'order-1', agent: 'buyer-1', owner: 'team-1', paid });
for await (const outcomes of client.send([[{ json: JSON.stringify(kept), agent: 'buyer-1' }]]))
  console.log(outcomes.map(({ status }) => status).join());
const code = await verifyWebhook({ body: '{}', headers: {}, secret: 's' }).catch((error: OversightError) => error.code);
console.log(me.organization.id, client.events.waiting(), code, typeof observeX402);

export const severityOf = (alert: ItemOf<'GET /v1/alerts'>): 'low' | 'medium' | 'high' | 'critical' => alert.severity;
// @ts-expect-error an alert has no such severity
export const wrong = (alert: ItemOf<'GET /v1/alerts'>): 'severe' => alert.severity;
// @ts-expect-error a case has a title
export const untitled = () => client.call('POST /v1/cases', { body: {} });
// @ts-expect-error there is no such endpoint
export const nowhere = () => client.call('GET /v1/nowhere');
`;

/** The library as it is packed, in a project that has nothing else. */
async function project(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-library-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await run(process.execPath, ['bin/build_client.ts', join(folder, 'built')]);
  const { stdout } = await run('npm', ['pack', '--silent', join(folder, 'built')], { cwd: folder });
  const installed = join(folder, 'node_modules/agent-payment-oversight');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', installed, '--strip-components=1']);
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'program.ts'), program);
  return { folder, installed };
}

/** Node 20 where the machine has one; else the one that runs here. */
async function oldestNode(): Promise<string> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'));
  for (const folder of folders) {
    const { stdout } = await run(join(folder, 'node'), ['--version']).catch(() => ({ stdout: '' }));
    if (stdout.startsWith('v20.')) return join(folder, 'node');
  }
  return process.execPath;
}

test('the packed library depends on nothing, has its types, and runs under Node 20, by itself and in a bundle for browsers', async t => {
  const { folder, installed } = await project(t);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  t.deepEqual([manifest.name, manifest.dependencies], ['agent-payment-oversight', undefined]);

  const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, types: [], lib: ['es2022', 'dom'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const compiled = await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder]).catch(
    ({ stdout }: { stdout: string }) => ({ stdout }),
  );
  t.is(compiled.stdout, '');

  const bundle = join(folder, 'bundle.js');
  await build({
    entryPoints: [join(folder, 'program.js')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    outfile: bundle,
  });
  const { url, stored } = await fakeIngest(t);
  const node = await oldestNode();
  for (const file of [join(folder, 'program.js'), bundle]) {
    const { stdout } = await run(node, [file, url]);
    t.is(stdout, 'accepted\norg_1 0 missing_header function\n');
  }
  t.is(stored.size, 4);
});
