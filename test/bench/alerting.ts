import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request, Agent } from 'undici';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { eventBatch } from './ingest.ts';
import type { Bench } from './run.ts';

const A_SECOND = 1_000;
const BATCH = 100;
const SECONDS = 30;

/**
 * From an accepted event to its `alert.created` at the customer's endpoint, while 1,000 events a second come in: API, detection, webhooks
 * and schedule run as processes of their own, on the machine that also sends and receives.
 */
export async function alerting({ services, startApi, startWorker, figure }: Bench): Promise<void> {
  const accepted = new Map<string, number>();
  const latencies: number[] = [];
  const receiver = await startReceiver(event_id => {
    const at = accepted.get(event_id);
    if (at === undefined) return;
    latencies.push(performance.now() - at);
    // A further alert about the event is another matter.
    accepted.delete(event_id);
  });
  const api = await startApi();
  const { config, db } = services;
  const tenant = { org_id: api.org_id, environment: config.environment };
  await createEndpoint(db, config, tenant, { url: receiver.url }, services.now());
  const workers = [await startWorker('detect'), await startWorker('webhook'), await startWorker('schedule')];
  const agent = new Agent({ connections: 8 });

  const send = async (count: (event_id: string) => void) => {
    const { events, alarming } = withPaymentMadeTwice(eventBatch(BATCH));
    const { statusCode, body } = await request(`${api.address}/v1/events`, {
      method: 'POST',
      dispatcher: agent,
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events }),
    });
    await body.dump();
    if (statusCode >= 300) throw new Error(`the API answered ${statusCode}`);
    count(alarming);
  };
  const wait = (A_SECOND * BATCH) / A_SECOND;
  for (let warmup = 0; warmup < 50; warmup += 1) await Promise.all([send(() => {}), sleep(wait)]);

  const start = performance.now();
  const sending: Promise<void>[] = [];
  for (let batch = 0; batch < (SECONDS * A_SECOND) / BATCH; batch += 1) {
    await sleep(Math.max(0, start + batch * wait - performance.now()));
    sending.push(send(event_id => void accepted.set(event_id, performance.now())));
  }
  await Promise.all(sending);
  const sent = (SECONDS * A_SECOND * A_SECOND) / (performance.now() - start);
  while (accepted.size > 0 && performance.now() - start < 2 * SECONDS * A_SECOND) await sleep(50);

  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
  figure(
    'ms from accepted event to alert.created, p95',
    at(0.95),
    `p50 ${Math.round(at(0.5))}, p99 ${Math.round(at(0.99))}; ${latencies.length} of ${latencies.length + accepted.size} received at ${Math.round(sent)} events/s (goal: p95 ≤ 1,000)`,
  );
  await agent.close();
  for (const worker of workers) await worker.stop();
  await api.stop();
  await receiver.close();
}

let payers = 0;

/** A batch whose second payment is its first one made again, for $3: a duplicate, however many came before; and the id of the second. */
function withPaymentMadeTwice([first, second, ...others]: ReturnType<typeof eventBatch>) {
  if (!first || !second) throw new Error('a batch of two at least');
  const agent = { ...first.agent, external_id: `payer-${(payers += 1)}` };
  const payment = { ...first.payment, amount: { ...first.payment.amount, value: '3000000' } };
  const again = { ...payment, payment_id: second.payment.payment_id };
  return {
    events: [{ ...first, agent, payment }, { ...first, id: second.id, agent, payment: again }, ...others],
    alarming: second.id,
  };
}

/** Takes webhooks and tells which event each alert is about. */
async function startReceiver(heard: (event_id: string) => void) {
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    incoming.on('end', () => {
      response.writeHead(204).end();
      const { data } = JSON.parse(text) as { data: { event_id?: string } };
      if (data.event_id) heard(data.event_id);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(resolve));
    },
  };
}
