import test from 'ava';
import { createReplica, positionOf } from '#shared/running/replica.ts';
import { createLog } from '#shared/platform/log.ts';
import type { Pool } from '#shared/platform/db.ts';
import { until } from '#test/helpers/until.ts';

test('a standby is asked while it has what was written two seconds ago, and not when it is behind, gone or promoted', async t => {
  let [time, written, replayed]: [number, bigint, bigint | null] = [1_000_000, 10n, 10n];
  let isGone = false;
  const db = { end: async () => {} } as unknown as Pool;
  const positions = {
    written: async () => written,
    replayed: async () => {
      if (isGone) throw new Error('gone');
      return replayed;
    },
  };
  const replica = createReplica(db, positions, {
    most_delay: 2_000,
    log: createLog('silent', 'test'),
    now: () => time,
  });
  t.teardown(replica.close);
  const isAsked = (expected: boolean) => until(async () => (replica.current() !== null) === expected);
  await isAsked(true);

  // What is written from now on does not arrive.
  written = 20n;
  time += 2_001;
  t.is(replica.current(), null);
  replayed = 20n;
  await isAsked(true);

  isGone = true;
  time += 2_001;
  t.is(replica.current(), null);
  isGone = false;
  await isAsked(true);

  replayed = null;
  await isAsked(false);
});

test('positions in the log are compared as numbers', t => {
  t.is(positionOf('16/B374D848'), 0x16_b374_d848n);
  t.true((positionOf('10/0') ?? 0n) > (positionOf('F/FFFFFFFF') ?? 0n));
  t.is(positionOf(null), null);
});
