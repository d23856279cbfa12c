import test from 'ava';
import { command, hasRedis, testRedis } from '#test/helpers/redis.ts';
import { kill, startChild, survives } from '#test/helpers/survive.ts';
import { world } from '#test/helpers/world.ts';

(hasRedis ? test : test.skip)(
  'workers killed again and again, and their Redis emptied, lose no alert and no delivery, and double none',
  async t => {
    t.timeout(300_000);
    const redis_url = await testRedis(t);
    const w = await world(t, { thresholds: true, settings: { REDIS_URL: redis_url } });
    await survives(
      t,
      redis_url,
      async (child, round) => {
        await command(redis_url, redis => redis.flushall());
        if (round % 2 === 0) return child;
        await kill(child);
        return startChild(w, redis_url);
      },
      w,
    );
  },
);
