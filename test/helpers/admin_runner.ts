import { PassThrough } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { runAdmin } from '#bin/admin/run_admin.ts';
import { until } from './until.ts';

// A process of its own that runs commands of the operator's tool within it, waits until nothing of them is open, and prints what they have
// set for good: `node test/helpers/admin_runner.ts DATABASE_URL SECRET_KEY`.
const [DATABASE_URL = '', SECRET_KEY = ''] = process.argv.slice(2);
const type = (...words: string[]) =>
  runAdmin([...words, '--json'], {
    stdout: new PassThrough().resume(),
    stderr: new PassThrough().resume(),
    settings: { DATABASE_URL, SECRET_KEY },
  });
// What reads a file comes and goes.
const resources = () => process.getActiveResourcesInfo().filter(name => !name.startsWith('FSReq'));
const listeners = () => process.eventNames().map(name => [name, process.listenerCount(name)]);

const idle = resources();
const codes = [await type('org', 'list')];
// What libraries listen to once, they listen to for good.
const heard = listeners();
codes.push(
  await type('queues', 'status'),
  await type('queues', 'retry-failed'),
  await type('key', 'list', '--org', 'Nobody'),
  await type('org', 'make'),
);
const set = { codes, exit_code: process.exitCode ?? null, listeners: isDeepStrictEqual(listeners(), heard) };
await until(async () => isDeepStrictEqual(resources(), idle));
process.stdout.write(JSON.stringify(set));
