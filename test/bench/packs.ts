import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { verifyPack } from '#shared/packs/verify.mjs';
import { SECOND } from '#shared/values/time.ts';
import type { Bench } from './run.ts';

const BATCH = 500;
const small = { agent: 'small', events: 10_000, most_seconds: 10 };
const large = { agent: 'large', events: 100_000, most_mb: 300 };

/**
 * Packs as people ask for them: over HTTP, built by the `pack` process, beside detection and the schedule. Every event has a piece of
 * evidence of 1 KB with a signature's worth of noise in it, and is analyzed before.
 */
export async function packs({ startApi, startWorker, figure }: Bench): Promise<void> {
  const api = await startApi();
  const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(api.address + path, { method, headers, body: body && JSON.stringify(body) });
    // oxlint-disable-next-line typescript/no-explicit-any -- bodies as the API answers them
    return (await answer.json()) as any;
  };
  const workers = [await startWorker('detect'), await startWorker('schedule')];
  for (const { agent, events } of [small, large])
    for (let start = 0; start < events; start += BATCH)
      await call('POST', '/v1/events', {
        events: Array.from({ length: BATCH }, (_, index) => event(agent, start + index)),
      });
  while ((await call('GET', '/v1/log')).analyzed_seq < small.events + large.events) await sleep(SECOND);
  const { data: agents } = await call('GET', '/v1/agents');
  const folder = await mkdtemp(join(tmpdir(), 'oversight-bench-packs-'));

  /** Seconds from asking to ready, as a client sees them, and the pack. */
  const built = async (agent: string) => {
    const agent_id = agents.find((known: { external_id: string }) => known.external_id === agent).id;
    const started = performance.now();
    const scope = { agent_id, from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
    let pack = await call('POST', '/v1/packs', { kind: 'evidence_pack', scope });
    while (!['ready', 'failed'].includes(pack.state)) {
      await sleep(100);
      pack = await call('GET', `/v1/packs/${pack.id}`);
    }
    if (pack.state !== 'ready') throw new Error(pack.error);
    return { pack, seconds: (performance.now() - started) / SECOND };
  };
  const check = async (id: string) => {
    const file = join(folder, `${id}.zip`);
    const { body } = await fetch(`${api.address}/v1/packs/${id}/download`, { headers });
    if (body) await pipeline(body, createWriteStream(file));
    const started = performance.now();
    const { ok } = await verifyPack(file, { keys: await call('GET', '/v1/keys.json') });
    await writeFile(file, '');
    return { ok, seconds: (performance.now() - started) / SECOND };
  };

  const worker = await startWorker('pack');
  const first = await built(small.agent);
  figure(
    'seconds for a pack of 10,000 events, the first of a process',
    first.seconds,
    `limit ${small.most_seconds}; ${megabytes(first.pack.size_bytes)} MB; ${first.pack.event_count} events`,
  );
  const second = await built(small.agent);
  figure('seconds for the next one', second.seconds, `limit ${small.most_seconds}`);
  const third = await built(large.agent);
  figure('seconds for a pack of 100,000 events', third.seconds, `${megabytes(third.pack.size_bytes)} MB`);
  figure('MB at most, of the process that built them', await worker.mostMemory(), `limit ${large.most_mb}`);
  const verified = await check(third.pack.id);
  figure('seconds to verify it offline', verified.seconds, verified.ok ? 'verified' : 'NOT verified');
  for (const started of [...workers, worker]) await started.stop();
  await api.stop();
  await rm(folder, { recursive: true, force: true });
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);

function event(agent: string, index: number) {
  const noise = createHash('sha512').update(`${agent} ${index}`).digest('base64url');
  const at = Date.now() - 10 * 24 * 3_600 * SECOND + index * SECOND;
  return {
    id: `evt_${ulid(at)}`,
    type: 'payment.settled',
    occurred_at: new Date(at).toISOString(),
    agent: { external_id: agent },
    owner: { external_id: 'bench' },
    payment: {
      payment_id: `${agent}-${index}`,
      rail: 'card',
      status: 'settled',
      amount: { value: String(100 + (index % 50)), unit: 'minor', currency: 'USD' },
      payee: { key: `domain:shop-${index % 200}.example.com`, name: `Shop ${index % 200}` },
    },
    evidence: [{ kind: 'acme.receipt', value: { order: index, lines: 'x'.repeat(800), signature: noise } }],
  };
}
