import test from 'ava';
import { redisOptionsOf } from '#shared/platform/redis.ts';

test('with TLS, the Sentinels are asked over TLS too, and not only their master', t => {
  const tls = { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true };
  t.like(redisOptionsOf('rediss+sentinel://a.example/ledger', {}), tls);
  const plain = Object.keys(redisOptionsOf('redis+sentinel://a.example/ledger', {}));
  t.deepEqual(
    plain.filter(name => name in tls),
    [],
  );
});
