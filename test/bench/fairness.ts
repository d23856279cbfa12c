import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import type { Bench } from './run.ts';
import type { Flooded, FloodOrder } from './flood.ts';
import { memoryOf } from './cpu.ts';
import { eventBatch } from './ingest.ts';

/** Connections that one organization floods. */
const FLOODS = [0, 8, 32, 64];
const SECONDS = 15;
/** What the small organization sends, a second. */
const PACE = 20;
/** Connections that begin a body and fall silent, and those that ask and do not read. */
const SILENT = 1_500;
const UNREAD = 100;
const ASK = 'GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
const WATCHED = 45;

/** What an organization within its rate notices while another one floods, and the memory that strangers can take. */
export async function fairness(bench: Bench): Promise<void> {
  const { startApi, figure } = bench;
  const worker = await bench.startWorker('detect');
  for (const connections of FLOODS) {
    const api = await startApi();
    const small = await smallOrganization(bench);
    await besideFlood(api.address, small, { address: api.address, key: api.key, connections: 0 }, 3);
    const { times, flooded, statuses } = await besideFlood(
      api.address,
      small,
      { address: api.address, key: api.key, connections },
      SECONDS,
    );
    const part = (share: number) => times[Math.floor(times.length * share)] ?? NaN;
    figure(
      `ms for an event, p99, beside ${connections} flooding`,
      part(0.99),
      `limit 500; p50 ${Math.round(part(0.5))}, worst ${Math.round(part(1 - 1 / times.length))}, answers ${statuses}; the flood: ${Math.round(flooded.accepted / SECONDS)} events/s, ${flooded.refused} refused; web ${Math.round(await memoryOf(api.pid))} MB (limit 400)`,
    );
    await api.stop();
  }
  await worker.stop();

  const attacks: [string, number, string][] = [
    ['silent bodies of strangers', SILENT, signIn(900_000) + ' '.repeat(800_000)],
    ['strangers that ask 40 times and do not read', UNREAD, ASK.repeat(40)],
    ['strangers that ask 2,000 times and do not read', UNREAD, ASK.repeat(2_000)],
  ];
  for (const [name, sockets, bytes] of attacks) {
    const api = await startApi();
    await (await request(`${api.address}/v1/openapi.json`)).body.dump();
    const before = await memoryOf(api.pid);
    const open = () => connectionsTo(new URL(api.address).port);
    const idle = await open();
    const all = await Promise.all(Array.from({ length: sockets }, () => openSilent(api.address, bytes)));
    const start = performance.now();
    // The service accepts them a moment after they are open here.
    await pause(2_000);
    let last = 2;
    while (last < WATCHED && (await open()) > idle) {
      await pause(500);
      last = (performance.now() - start) / 1_000;
    }
    figure(
      `MB of web beside ${sockets} ${name}`,
      await memoryOf(api.pid),
      `limit 400; ${Math.round(before)} before; ${Math.max(0, (await open()) - idle)} still open after ${Math.round(last)} s`,
    );
    for (const socket of all) socket.destroy();
    await api.stop();
  }
}

/** The connections that a service on this port has, by the kernel; on Linux. */
async function connectionsTo(port: string): Promise<number> {
  const local = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map(line => line.trim().split(/\s+/));
  // Established, or left by the other end.
  return lines.filter(([, from, , state]) => from?.endsWith(local) && (state === '01' || state === '08')).length;
}

const signIn = (length: number) =>
  `POST /v1/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"email":`;

/** A connection that sends this, and reads nothing. */
async function openSilent(address: string, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

async function smallOrganization({ services: { db, config, now } }: Bench): Promise<string> {
  const { id: org_id } = await createOrganization(db, config.environment, `small ${now()}`, now());
  const { environment, key_env: env } = config;
  const wanted = { org_id, environment, env, name: 'bench', scopes: allScopes, created_by: null };
  return (await createApiKey(db, wanted, now())).key;
}

/** The milliseconds that single events took, sorted, sent at an even pace while another one floods. */
async function besideFlood(address: string, key: string, order: FloodOrder, seconds: number) {
  const dispatcher = new Agent({ connections: PACE });
  const flood = new Worker(new URL('./flood.ts', import.meta.url), { workerData: order });
  const ended = once(flood, 'message') as Promise<[Flooded]>;
  const times: number[] = [];
  const answers = new Map<number, number>();
  const send = async (due: number) => {
    const { statusCode, body } = await request(`${address}/v1/events`, {
      method: 'POST',
      dispatcher,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(eventBatch(1)[0]),
    });
    await body.dump();
    times.push(performance.now() - due);
    answers.set(statusCode, (answers.get(statusCode) ?? 0) + 1);
  };
  // The flood is at its height after a moment.
  if (order.connections > 0) await pause(2_000);
  const start = performance.now();
  const all: Promise<void>[] = [];
  for (let index = 0; index < seconds * PACE; index += 1) {
    const due = start + (index * 1_000) / PACE;
    await pause(Math.max(0, due - performance.now()));
    all.push(send(due));
  }
  await Promise.all(all);
  flood.postMessage('stop');
  const [flooded] = await ended;
  await dispatcher.close();
  const statuses = [...answers].map(([status, count]) => `${status} ×${count}`).join(', ');
  return { times: times.toSorted((a, b) => a - b), flooded, statuses };
}
