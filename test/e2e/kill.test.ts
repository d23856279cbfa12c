import test from 'ava';
import { kill, startChild, survives } from '#test/helpers/survive.ts';
import { world } from '#test/helpers/world.ts';

test('workers killed again and again lose no alert and no delivery, and double none', async t => {
  t.timeout(300_000);
  const w = await world(t, { own_database: true, thresholds: true });
  await survives(
    t,
    undefined,
    async child => {
      await kill(child);
      return startChild(w, undefined);
    },
    w,
  );
});
