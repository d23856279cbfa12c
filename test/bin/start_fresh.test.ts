import test from 'ava';
import { home, stop } from '#test/helpers/home.ts';
import { addressOf } from '#test/helpers/process.ts';
import { turnOf } from '#test/helpers/runs.ts';

test('a signal during the start ends it and leaves no database running, and the next start takes it up', async t => {
  for (const moment of turnOf([/making a PostgreSQL/, /Database prepared/], 0, 2)) {
    const { start, databaseRuns } = await home(t, { fresh: true });
    const first = start();
    await first.says(moment);
    await stop(t, first);
    t.false(await databaseRuns());
    const second = start();
    t.is((await fetch(`${await addressOf(second)}/readyz`)).status, 200);
    await stop(t, second);
  }
});

test('of two starts at once on a fresh data directory one runs', async t => {
  const { start } = await home(t, { fresh: true });
  const both = [start(), start()];
  const loser = await Promise.race(both.map(async child => ({ child, ...(await child.ended) })));
  t.is(loser.code, 1);
  t.regex(loser.stderr, /already runs on the data directory/);
  const winner = both.find(child => child !== loser.child);
  if (!winner) throw new Error('unreachable');
  t.is((await fetch(`${await addressOf(winner)}/readyz`)).status, 200);
  await stop(t, winner);
});
