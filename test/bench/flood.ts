import { parentPort, workerData } from 'node:worker_threads';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { eventBatch } from './ingest.ts';

/** What the thread of a flood is started with, and what it says at its end. */
export type FloodOrder = { address: string; key: string; connections: number };
export type Flooded = { accepted: number; refused: number };

const EVENTS = 1_000;
/** How long a connection waits that was refused, in milliseconds: less than it is told. */
const WAIT = 100;

// A thread of its own: what it costs to make events must not delay whoever measures.
const { address, key, connections } = workerData as FloodOrder;
const dispatcher = new Agent({ connections });
const flooded: Flooded = { accepted: 0, refused: 0 };
let stopped = false;
parentPort?.once('message', () => (stopped = true));

async function flood() {
  while (!stopped) {
    const { statusCode, body } = await request(`${address}/v1/events`, {
      method: 'POST',
      dispatcher,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events: eventBatch(EVENTS) }),
    });
    await body.dump();
    if (statusCode === 200) flooded.accepted += EVENTS;
    else {
      flooded.refused += 1;
      await pause(WAIT);
    }
  }
}

await Promise.all(Array.from({ length: connections }, flood));
await dispatcher.close();
parentPort?.postMessage(flooded);
