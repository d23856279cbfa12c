import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import test from 'ava';
import { patienceOf } from '#shared/embedded_postgres/patience.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';

test.serial(
  'a server that says how far it has come is waited for, but only the first, and not one that says nothing',
  async t => {
    const log = join(await temporaryFolder(t), 'postgres.log');
    await writeFile(log, 'starting\n');
    mock.timers.enable({ apis: ['setTimeout'] });
    t.teardown(() => mock.timers.reset());
    const { signal, heed } = patienceOf(60_000, log, () => {});
    await heed(41);
    for (let round = 0; round < 3; round++) {
      mock.timers.tick(59_000);
      await appendFile(log, 'redo in progress\n');
      await heed(41);
      t.false(signal.aborted);
    }
    mock.timers.tick(59_000);
    await heed(41);
    await appendFile(log, 'starting\n');
    await heed(42);
    t.false(signal.aborted);
    mock.timers.tick(1_000);
    t.true(signal.aborted);
  },
);
