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
    const said: string[] = [];
    const { signal, heed } = patienceOf(60_000, log, message => said.push(message));
    const say = (text: string) => appendFile(log, `LOG:  ${text}\n`);
    await heed(41);
    for (let round = 0; round < 3; round++) {
      mock.timers.tick(59_000);
      await say(`redo in progress, elapsed time: ${round + 1}0.00 s, current LSN: 0/CD16D450`);
      await heed(41);
      t.false(signal.aborted);
    }
    mock.timers.tick(59_000);
    await say('the database system is starting up');
    await heed(41);
    await say('redo in progress, elapsed time: 10.00 s, current LSN: 0/CD16D450');
    await heed(42);
    t.false(signal.aborted);
    mock.timers.tick(1_000);
    t.true(signal.aborted);
    t.deepEqual(
      said.map(text => /(\d+) s$/.exec(text)?.[1]),
      ['10', '20', '30'],
    );
  },
);
