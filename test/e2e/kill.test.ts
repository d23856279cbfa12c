import { command, testRedis } from '#test/helpers/redis.ts';
import { kill, startChild, survives } from '#test/helpers/survive.ts';
import { engineTest } from '#test/helpers/webhooks.ts';
import { world } from '#test/helpers/world.ts';

engineTest(
  'workers killed again and again, and their Redis emptied, lose no alert and no delivery, and double none',
  async (t, engine) => {
    t.timeout(300_000);
    const redis_url = engine === 'redis' ? await testRedis(t) : undefined;
    const w = await world(t, {
      own_database: true,
      thresholds: true,
      settings: redis_url ? { REDIS_URL: redis_url } : {},
    });
    await survives(
      t,
      redis_url,
      async (child, round) => {
        if (redis_url) await command(redis_url, redis => redis.flushall());
        // Emptied under a process that goes on, too.
        if (redis_url && round % 2 === 0) return child;
        await kill(child);
        return startChild(w, redis_url);
      },
      w,
    );
  },
);
