import test from 'ava';
import { openRedis } from '#shared/platform/redis.ts';

/** The options of a client that asks nobody. */
function optionsOf(url: string) {
  const client = openRedis(url, { lazyConnect: true, connectTimeout: 5_000 });
  client.disconnect();
  return client.options;
}

test('with TLS, the Sentinels are asked over TLS too, and not only their master', t => {
  const tls = { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true };
  t.like(optionsOf('rediss+sentinel://a.example/ledger'), tls);
  t.like(optionsOf('redis+sentinel://a.example/ledger'), { tls: undefined, enableTLSForSentinelMode: false });
});

test('each node of a cluster is reached with the login, over TLS where it is asked for', t => {
  t.like(optionsOf('rediss+cluster://oversight:p%40ss@a.example,b.example:7000'), {
    redisOptions: { username: 'oversight', password: 'p@ss', tls: {}, connectTimeout: 5_000 },
  });
  t.like(optionsOf('redis+cluster://a.example'), { redisOptions: { tls: undefined } });
});
