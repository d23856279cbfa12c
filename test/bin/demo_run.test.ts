import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);

test('the demo finds every scenario it plants, says so on a hundred plain columns, and leaves nothing behind', async t => {
  t.timeout(300_000);
  const { stdout } = await run(
    process.execPath,
    ['bin/demo.ts', '--exit', '--seed', '5', '--most-false-alarms', '12'],
    { timeout: 290_000 },
  );
  t.regex(stdout, /(\d+) of \1 scenarios found[.,]/);
  t.regex(stdout, /Evidence of the day's events: [\d,]+ verified, [1-9]\d* failed, 0 inconclusive\./);
  t.regex(stdout, /Mandates of the day's events: [\d,]+ compliant, [1-9]\d* breach, 0 unresolved\./);
  t.regex(stdout, /webhooks received, all signatures valid\./);
  t.regex(stdout, /Evidence pack of case "[^"]+":[\s\S]*verified\s+with\s+only\s+the\s+published\s+key\./);
  t.false(stdout.includes('MISSED'));
  t.false(stdout.includes('\u001b'), 'no colors where nobody watches');
  t.deepEqual(
    stdout.split('\n').filter(line => line.length > 100),
    [],
  );
  const [data_dir = ''] = /\/\S+\/oversight-demo-\w+/.exec(stdout) ?? [];
  t.regex(data_dir, /oversight-demo/);
  t.false(existsSync(data_dir));
});

test('the demo names an option it does not know', async t => {
  const failed = await t.throwsAsync(run(process.execPath, ['bin/demo.ts', '--seed', 'x']));
  t.regex(String(failed?.message), /must be a whole number/);
});
