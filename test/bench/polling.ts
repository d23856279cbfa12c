import { join } from 'node:path';
import { Agent, request } from 'undici';
import { atPace } from './at_pace.ts';
import { cpuOf, cpuOfDatabase } from './cpu.ts';
import { eventBatch } from './ingest.ts';
import type { Bench } from './run.ts';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { createSession } from '#shared/people/sessions.ts';
import { addMember, ensureUser } from '#shared/people/users.ts';

const lists = ['alerts', 'incidents', 'events', 'cases', 'screenings', 'agents', 'payees', 'mandates'];
const POLLS = 2_000;
const POLLERS = 16;
const READERS = 5_000;
const SECONDS = 15;
const SENT_EACH = 100;

/**
 * What readers cost who poll without news: the processor time of the API and of PostgreSQL for each list, and for 5,000 readers with a
 * credential each, every five seconds, beside 1,000 events a second; and what an Idempotency-Key costs.
 */
export async function polling({ startApi, services, figure }: Bench): Promise<void> {
  const api = await startApi();
  const cluster = join(services.config.data_dir, 'postgres');
  const dispatcher = new Agent({ connections: 64 });
  const ask = (method: 'GET' | 'POST', path: string, headers: Record<string, string> = {}, body?: string) =>
    request(`${api.address}${path}`, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
  const send = async (events: number) => {
    const { statusCode, body } = await ask('POST', '/v1/events', {}, JSON.stringify({ events: eventBatch(events) }));
    await body.dump();
    if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
  };
  const tagOf = async (path: string) => {
    const { headers, body } = await ask('GET', path);
    await body.dump();
    return String(headers['etag']);
  };
  /**
   * One poll; the answer must be that there is nothing new. What depends on the clock has another tag in the next period, which is as good an
   * answer once.
   */
  const poll = async (path: string, tag: string, credential: Record<string, string> = {}) => {
    const { statusCode, headers, body } = await ask('GET', path, { 'if-none-match': tag, ...credential });
    await body.dump();
    if (statusCode === 304) return tag;
    const next = String(headers['etag']);
    if (statusCode !== 200 || next === tag) throw new Error(`${path} answered ${statusCode}, not 304`);
    return next;
  };
  /** Milliseconds of processor time that the API and PostgreSQL use meanwhile. */
  const cost = async (work: () => Promise<unknown>) => {
    const used = async () => [await cpuOf(api.pid), await cpuOfDatabase(cluster)] as const;
    const before = await used();
    await work();
    const after = await used();
    return [after[0] - before[0], after[1] - before[1]] as const;
  };
  const told = ([web, database]: readonly [number, number], polls: number) =>
    `${((web + database) / polls).toFixed(2)} ms: API ${(web / polls).toFixed(2)}, PostgreSQL ${(database / polls).toFixed(2)} (goal 2)`;

  for (let count = 0; count < 20; count += 1) await send(500);
  // The first time is for warming up.
  for (const [round, list] of ['alerts', ...lists].entries()) {
    const path = `/v1/${list}`;
    const first = await tagOf(path);
    let turn = 0;
    let renewed = 0;
    const poller = async () => {
      for (let tag = first; turn < POLLS; turn += 1) {
        const next = await poll(path, tag);
        if (next !== tag && (renewed += 1) > POLLERS) throw new Error(`${path} has news again and again`);
        tag = next;
      }
    };
    const start = performance.now();
    const used = await cost(() => Promise.all(Array.from({ length: POLLERS }, poller)));
    if (round === 0) continue;
    figure(
      `polls per second of ${path} without news`,
      (POLLS * 1_000) / (performance.now() - start),
      told(used, POLLS),
    );
  }

  const readers = await createReaders();
  const path = '/v1/alerts';
  const tag = await tagOf(path);
  const sending = () => atPace(1_000 / SENT_EACH, SECONDS, () => send(SENT_EACH));
  await sending();
  const alone = await cost(sending);
  let times: number[] = [];
  const together = await cost(async () => {
    [times] = await Promise.all([
      atPace(READERS / 5, SECONDS, async index => {
        if ((await poll(path, tag, readers[index % READERS])) !== tag) throw new Error(`${path} has news`);
      }),
      sending(),
    ]);
  });
  const more = [together[0] - alone[0], together[1] - alone[1]] as const;
  const part = (share: number) => `${Math.round(times[Math.floor(times.length * share)] ?? 0)} ms`;
  figure(
    `readers every 5 s beside 1,000 events/s`,
    READERS,
    `${told(more, (READERS / 5) * SECONDS)}; p50 ${part(0.5)}, p99 ${part(0.99)}; processors in use ${((together[0] + together[1]) / SECONDS / 1_000).toFixed(2)} (without readers ${((alone[0] + alone[1]) / SECONDS / 1_000).toFixed(2)})`,
  );

  const source = JSON.stringify({ name: 'till', kind: 'other' });
  const rate = async (headers: (turn: number) => Record<string, string>) => {
    let turn = 0;
    const start = performance.now();
    const sender = async () => {
      while (turn < 1_000) await (await ask('POST', '/v1/sources', headers((turn += 1)), source)).body.dump();
    };
    await Promise.all(Array.from({ length: 8 }, sender));
    return 1_000_000 / (performance.now() - start);
  };
  const plain = await rate(() => ({}));
  const keyed = await rate(turn => ({ 'idempotency-key': `k-${turn}` }));
  figure('changes per second with an Idempotency-Key', keyed, `without one: ${Math.round(plain)}/s`);
  await dispatcher.close();
  await api.stop();

  /** As many credentials as readers: keys and sessions by turns. */
  async function createReaders(): Promise<Record<string, string>[]> {
    const { db, config, now } = services;
    const { environment } = config;
    const made: Record<string, string>[] = [];
    for (let index = 0; index < READERS; index += 1) {
      if (index % 2 === 0) {
        const scopes = ['alerts:read' as const];
        const wanted = {
          org_id: api.org_id,
          environment,
          env: config.key_env,
          name: 'reader',
          scopes,
          created_by: null,
        };
        made.push({ authorization: `Bearer ${(await createApiKey(db, wanted, now())).key}` });
        continue;
      }
      const { id: user_id } = await ensureUser(db, { email: `reader-${index}@example.com` }, now());
      await addMember(db, api.org_id, { user_id, role: 'developer', created_by: null }, now());
      const { token } = await createSession(db, { user_id, org_id: api.org_id, user_agent: 'bench' }, now());
      made.push({ authorization: '', cookie: `session=${token}` });
    }
    return made;
  }
}
