import { Writable } from 'node:stream';
import test from 'ava';
import { pino } from 'pino';
import { startMetricsServer } from '#shared/running/metrics_server.ts';
import { world } from '#test/helpers/world.ts';

test('METRICS_PORT answers text in UTF-8 that no browser takes for anything else, and nothing at other paths', async t => {
  const { services, config } = await world(t, { settings: { METRICS_PORT: '0' } });
  const lines: string[] = [];
  const log = pino(new Writable({ write: (line: Buffer, _encoding, done) => (lines.push(line.toString()), done()) }));
  t.teardown(await startMetricsServer({ ...services, config, log }));
  const { port } = JSON.parse(lines.at(-1) ?? '{}');
  for (const [path, status, text] of [
    ['/metrics', 200, /^database_connections/m],
    ['/livez', 200, /^ok$/m],
    ['/readyz', 200, /^ok$/m],
    ['/metrics/', 404, /^not found$/m],
    ['/v1/events', 404, /^not found$/m],
  ] as const) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    t.is(answer.status, status, path);
    t.regex(answer.headers.get('content-type') ?? '', /^text\/plain;.*charset=utf-8$/, path);
    t.is(answer.headers.get('x-content-type-options'), 'nosniff', path);
    t.regex(await answer.text(), text, path);
  }
});
