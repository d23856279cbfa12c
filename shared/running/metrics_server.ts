import { createServer } from 'node:http';
import { describeSkew } from '#shared/platform/clock.ts';
import { stateOfDatabase } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { listen } from './listen.ts';

/** Serves `/metrics`, `/livez` and `/readyz` of any process on METRICS_PORT; does nothing where that is not set. */
export async function startMetricsServer({
  config,
  probe,
  metrics,
  log,
  skew,
}: Services): Promise<() => Promise<void>> {
  if (config.metrics_port === undefined) return async () => {};
  const answers: Record<string, () => Promise<[status: number, type: string, body: string]>> = {
    '/metrics': async () => [200, metrics.registry.contentType, await metrics.text()],
    '/livez': async () => [200, 'text/plain; charset=utf-8', 'ok\n'],
    async '/readyz'() {
      const state = await stateOfDatabase(probe);
      const off = describeSkew(skew());
      return [state === 'ok' ? 200 : 503, 'text/plain; charset=utf-8', off ? `${state}\nclock ${off}\n` : `${state}\n`];
    },
  };
  const server = createServer(async (request, response) => {
    const answer = answers[request.url ?? ''];
    const [status, type, body] = answer ? await answer() : [404, 'text/plain; charset=utf-8', 'not found\n'];
    response.writeHead(status, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' }).end(body);
  });
  // METRICS_PORT=0 takes any free port, known only now.
  const port = await listen(server, config, 'METRICS_PORT');
  log.info({ port }, 'metrics listening');
  return async () => {
    server.closeAllConnections();
    server.close();
  };
}
