import { Agent, request } from 'undici';
import { eventBatch } from './ingest.ts';
import type { Bench } from './run.ts';

const CONNECTIONS = 8;
const REQUESTS = 4_000;

/** What pollers cost: a list that has not changed, beside the same list sent in full; and a change with an Idempotency-Key, beside one without. */
export async function polling({ startApi, figure }: Bench): Promise<void> {
  const api = await startApi();
  const dispatcher = new Agent({ connections: CONNECTIONS });
  const authorization = `Bearer ${api.key}`;
  const ask = (method: 'GET' | 'POST', path: string, headers: Record<string, string> = {}, body?: string) =>
    request(`${api.address}${path}`, {
      method,
      dispatcher,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
  /** Requests per second; every answer must have this status. */
  const rate = async (count: number, status: number, send: (turn: number) => ReturnType<typeof ask>) => {
    let turn = 0;
    const start = performance.now();
    const sender = async () => {
      while (turn < count) {
        const answer = await send((turn += 1));
        await answer.body.dump();
        if (answer.statusCode !== status) throw new Error(`answered ${answer.statusCode}, not ${status}`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, sender));
    return (count * 1_000) / (performance.now() - start);
  };

  await rate(20, 200, () => ask('POST', '/v1/events', {}, JSON.stringify({ events: eventBatch(500) })));
  const path = '/v1/events?limit=50';
  const first = await ask('GET', path);
  await first.body.dump();
  const known = { 'if-none-match': String(first.headers['etag']) };
  await rate(500, 200, () => ask('GET', path));
  const full = await rate(REQUESTS, 200, () => ask('GET', path));
  const unchanged = await rate(REQUESTS, 304, () => ask('GET', path, known));
  figure('polls per second of an unchanged list', unchanged, `the same 50 events sent in full: ${Math.round(full)}/s`);

  const source = JSON.stringify({ name: 'till', kind: 'other' });
  await rate(200, 201, () => ask('POST', '/v1/sources', {}, source));
  const plain = await rate(1_000, 201, () => ask('POST', '/v1/sources', {}, source));
  const keyed = await rate(1_000, 201, turn => ask('POST', '/v1/sources', { 'idempotency-key': `k-${turn}` }, source));
  figure('changes per second with an Idempotency-Key', keyed, `without one: ${Math.round(plain)}/s`);
  await dispatcher.close();
  await api.stop();
}
