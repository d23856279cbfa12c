import { createAssessor } from '#shared/assessment/assessor.ts';
import { createReader } from '#shared/assessment/read_ahead.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { openEventLog } from '#shared/events/log/event_log.ts';
import { sql } from '#shared/platform/db.ts';
import { createPool } from '#shared/platform/db.ts';
import { addPayees } from './payees.ts';
import type { Bench } from './run.ts';

const RANGE = 2_000;
const MEASURED = 30_000;

/** Events per second that one detect process judges, with every detector, warm and cold, on a small log and on a large one. */
export async function detection({ services, database, figure }: Bench): Promise<void> {
  const owner = await createPool(database.owner_url, {
    max: 1,
    application_name: 'bench',
    statement_timeout: 3_600_000,
  });
  const rates: Record<string, number> = {};
  for (const [name, stored, agents] of [
    ['100,000 stored, 10,000 agents', 100_000, 10_000],
    [`${STORED.toLocaleString('en')} stored, 10,000 agents`, STORED, 10_000],
    [`${STORED.toLocaleString('en')} stored, 100 agents`, STORED, 100],
  ] as const) {
    const tenant = { org_id: `org_bench_${Object.keys(rates).length}_${agents}`, environment: 'sandbox' };
    await openEventLog(services.db, tenant);
    await fill(owner, tenant.org_id, stored + 3 * MEASURED, agents);
    const payees = Array.from({ length: 500 }, (_, n) => ({ id: `pye_${n}`, key: `merchant:bench:${n}` }));
    await addPayees(owner, tenant.org_id, payees);
    await owner.query(sql.unsafe`update detection_cursors set seq = ${stored} where org_id = ${tenant.org_id}`);
    await owner.query(sql.unsafe`vacuum analyze events`);
    const cache = createDetectionCache();
    const assessor = createAssessor(services);
    const reader = createReader(services.db, assessor);
    const run = async () => {
      const start = performance.now();
      for (let done = 0; done < MEASURED;) {
        const analyzed = await analyzeRange(services.db, tenant, {
          limit: RANGE,
          detectors,
          cache,
          assessor,
          reader,
          now: services.now,
        });
        if (!analyzed || analyzed.events === 0) throw new Error('the log ended early');
        done += analyzed.events;
      }
      return (MEASURED * 1000) / (performance.now() - start);
    };
    const cold = await run();
    await run();
    const warm = await run();
    rates[name] = warm;
    figure(
      `judged per second, warm: ${name}`,
      warm,
      `cold ${Math.round(cold).toLocaleString('en')}/s (goals: 10,000 warm, 5,000 cold)`,
    );
  }
  await owner.end();
}

const STORED = Number(process.env['BENCH_STORED'] ?? 1_000_000);

/** Writes a log of normal traffic straight into the table: agents in turn, x402 and card, one event in four seconds and agent. */
const fill = (owner: Awaited<ReturnType<typeof createPool>>, org_id: string, events: number, agents: number) =>
  owner.query(sql.unsafe`
    insert into events (org_id, environment, chain_seq, id, type, occurred_at, received_at, source_id, agent_id, owner_id, payee_id,
      payment_id, rail, status, amount_usd_micro, evidence_count, price_key, resource_key, event_digest, leaf_hash, input)
    select ${org_id}, 'sandbox', n, 'evt_' || ${org_id}::text || n, 'payment.settled', t, t, 'src_1', 'agt_' || (n * 7919 % ${agents}),
      'own_1', 'pye_' || (n * 104729 % 500), 'pay_' || n, 'x402', 'settled', 1000 + n * 37 % 90000, 0,
      int8send(n * 37 % 90000), int8send(n % 3000), '\\x00', '\\x00', '{}'
    from (select n, now() - interval '20 days' + n * interval '200 milliseconds' as t from generate_series(1::bigint, ${events}) n) s`);
