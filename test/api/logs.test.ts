import test from 'ava';
import { addressOf, run } from '#test/helpers/process.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

type Line = Record<string, unknown>;

test('the log has a line for each request with what happened, and never a secret or what was sent', async t => {
  const { database, config, full, client, key, tenant } = await world(t);
  const reader = await key(tenant.org_id, ['alerts:read']);
  const server = run(t, 'api/main.ts', [], {
    DATABASE_URL: database.service_url,
    SECRET_KEY: config.secret_key[0].toString('base64'),
    PORT: '0',
    LOG_LEVEL: 'trace',
  });
  const address = await addressOf(server);
  const [as, other] = [client(full.key, address), client(reader.key, address)];
  const sent = event({ payee_name: 'Discreet Ltd', more: { metadata: { password: 'hunter2' } } });
  const source = { name: 'till', kind: 'psp_webhook', signing_secret: 'whsec_c2VjcmV0IHNlY3JldA' };
  const replies = [
    await as.post('/v1/events', sent),
    await as.post('/v1/events', { ...sent, description: 'Discreet' }),
    await as.post('/v1/sources', source),
    await as.post('/v1/sources', { ...source, kind: 'whsec_c2VjcmV0IHNlY3JldA' }),
    await as.get(`/v1/events?q=Discreet&key=${full.key}`),
    await other.post('/v1/events', sent),
    await client(`${full.key}x`, address).get('/v1/events'),
    await client(undefined, address).get(`/${full.key}`),
    await client(undefined, address).get('/v1/alerts', { 'x-api-key': full.key, cookie: `session=${full.key}` }),
  ];
  server.kill('SIGTERM');
  const { code, stdout, stderr } = await server.ended;
  t.is(code, 0);

  const lines: Line[] = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  const requests = lines.filter(({ msg }) => msg === 'request');
  t.deepEqual(
    requests.map(({ request_id, status }) => [request_id, status]),
    replies.map(({ status, headers }) => [headers.get('request-id'), status]),
  );
  t.like(requests[0], { method: 'POST', route: '/v1/events', org_id: tenant.org_id, actor_id: full.id });
  t.deepEqual(requests.map(({ route }) => route).slice(-3), ['/v1/events', 'none', '/v1/alerts']);
  t.true(requests.every(({ ms, time }) => typeof ms === 'number' && String(time).endsWith('Z')));
  for (const { status, ip } of requests) t.is(ip, Number(status) < 400 ? undefined : '127.0.0.1', String(status));
  const secrets = [full.key.slice(12), reader.key.slice(12), 'hunter2', 'c2VjcmV0', 'Discreet', database.service_url];
  for (const secret of secrets) t.false((stdout + stderr).includes(secret), secret);
  t.false((stdout + stderr).includes(config.secret_key[0].toString('base64')));
});
