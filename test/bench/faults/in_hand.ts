import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { event } from '#test/helpers/make.ts';
import type { Bench } from '../run.ts';
import type { Crew, CrewType } from './crew.ts';

type Fault = { name: string; times: number; harm(): Promise<number> };
type Work = {
  begin(): Promise<unknown>;
  /** What the first process has in hand; null while it has nothing. */
  inHand(): Promise<string[] | null>;
  /** Whether another is at it, or has done it. */
  isTakenUp(held: string[]): Promise<boolean>;
};

const Row = z.object({ id: z.string() });
/** More than are queued for one endpoint, so that the rest is a backlog. */
const DELIVERIES = 150;
/** How long the receiver of a backlog takes to answer, in milliseconds. */
const ANSWERED_IN = 300;
const EVENTS = 3_000;
const BATCH = 300;
const PATIENCE = 120_000;
const POLL = 20;

/** Kills a process that has work in hand while another of its type stands by: how long until that one has taken it up. */
export const faultsInHand = (bench: Bench, crew: Crew, times: number): Fault[] => [
  { name: 'webhook killed amid a backlog', times, harm: () => backlogKilled(bench, crew) },
  { name: 'pack killed while it builds', times, harm: () => packKilled(bench, crew) },
];

async function backlogKilled({ services, inhabit }: Bench, crew: Crew): Promise<number> {
  const { db, config, now } = services;
  const { org_id } = await inhabit();
  const tenant = { org_id, environment: config.environment };
  const server = createServer((_request, answer) => setTimeout(() => answer.end(), ANSWERED_IN)).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  await createEndpoint(
    db,
    config,
    tenant,
    { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` },
    now(),
  );
  const alerts = Array.from({ length: DELIVERIES }, () => ({
    type: 'alert.created' as const,
    data: { alert_id: newId('alr'), event_id: newId('evt') },
  }));
  const pending = (condition = sql.fragment`true`) =>
    db.anyFirst(sql.type(Row)`
      select id from webhook_deliveries where org_id = ${org_id} and state = 'pending' and ${condition}`);
  const waited = await killBeside(services, crew, 'webhook', {
    begin: () => insertDeliveries(db, tenant, alerts, now()),
    // Jobs claim for 5 s only.
    async inHand() {
      const ids = await pending(sql.fragment`next_at > now() + interval '15 seconds'`);
      return ids.length === 0 ? null : [...ids];
    },
    async isTakenUp(held) {
      const left = new Set(await pending());
      return held.some(id => !left.has(id));
    },
  });
  server.close();
  return waited;
}

async function packKilled({ services, inhabit }: Bench, crew: Crew): Promise<number> {
  const { key, org_id } = await inhabit();
  const ask = async (method: 'GET' | 'POST', path: string, sent?: object) => {
    const { statusCode, body } = await request(`${crew.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(sent && { body: JSON.stringify(sent) }),
    });
    if (statusCode >= 300) throw new Error(`${path} is answered ${statusCode}: ${await body.text()}`);
    return (await body.json()) as { data: { id: string }[] };
  };
  const evidence = [{ kind: 'acme.note', value: 'x'.repeat(2_000) }];
  for (let sent = 0; sent < EVENTS; sent += BATCH)
    await ask('POST', '/v1/events', {
      events: Array.from({ length: BATCH }, (_, index) =>
        event({ payment_id: `p-${sent + index}`, more: { evidence } }),
      ),
    });
  const agent_id = (await ask('GET', '/v1/agents')).data[0]?.id;
  const scope = { agent_id, from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  const begun = (attempts: number) =>
    services.db.anyFirst(sql.type(Row)`select id from packs where org_id = ${org_id} and attempts >= ${attempts}`);
  return killBeside(services, crew, 'pack', {
    begin: () => ask('POST', '/v1/packs', { kind: 'evidence_pack', scope }),
    async inHand() {
      const ids = await begun(1);
      return ids.length === 0 ? null : [...ids];
    },
    isTakenUp: async () => (await begun(2)).length > 0,
  });
}

async function killBeside({ db }: Bench['services'], crew: Crew, type: CrewType, work: Work): Promise<number> {
  const other = await crew.another(type);
  await until(() =>
    db.exists(sql.unsafe`select from worker_presence where type = ${type} and pid = ${other.pid} and left_at is null`),
  );
  // It takes nothing until the first has what there is.
  process.kill(other.pid, 'SIGSTOP');
  await work.begin();
  const held: string[] = [];
  await until(async () => held.push(...((await work.inHand()) ?? [])) > 0);
  process.kill(other.pid, 'SIGCONT');
  const began = performance.now();
  await crew.kill(type);
  await until(() => work.isTakenUp(held));
  const waited = performance.now() - began;
  await other.stop();
  return waited;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await isDone())) {
    if (performance.now() - began > PATIENCE) throw new Error('what was killed is not taken up');
    await pause(POLL);
  }
}
