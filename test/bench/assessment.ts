import { createAssessor } from '#shared/assessment/assessor.ts';
import { createReader } from '#shared/assessment/read_ahead.ts';
import { createPool, type Pool, sql } from '#shared/platform/db.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { openEventLog } from '#shared/events/log/event_log.ts';
import { createMandate } from '#shared/mandates/store/mandate_changes.ts';
import { NewMandate } from '#shared/mandates/store/mandate_input.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { signPayment, usdc, wallet } from '#test/helpers/proofs/x402.ts';
import { addPayees } from './payees.ts';
import type { Bench } from './run.ts';

const RANGE = 2_000;
const MEASURED = 30_000;
const AGENTS = 1_000;
/** Every so many events carry a signed x402 payment: 5 %. */
const SIGNED = 20;

/** What the traffic is like: how many payments an agent makes in a row, and how many constraints its mandate has. */
type Traffic = { run: number; constraints: number };

/**
 * Events per second that one detect process takes through everything: signatures, a mandate for each agent, every detector. Agents make
 * runs of payments, as agents do; the hard case has each agent pay once in turn, under a mandate of ten constraints.
 */
export async function assessment({ services, database, figure }: Bench): Promise<void> {
  const owner = await createPool(database.owner_url, {
    max: 1,
    application_name: 'bench',
    statement_timeout: 3_600_000,
  });
  const plain = await measure(services, owner, 'plain', { run: 5, constraints: 0 });
  figure('judged per second, without signatures and mandates', plain.warm, `cold ${whole(plain.cold)}/s`);
  const usual = await measure(services, owner, 'usual', { run: 5, constraints: 4 });
  const goals = '(goals: 10,000 warm, 5,000 cold)';
  figure('with everything on, warm: runs of 5, 4 constraints', usual.warm, `cold ${whole(usual.cold)}/s ${goals}`);
  const hard = await measure(services, owner, 'hard', { run: 1, constraints: 10 });
  figure('with everything on, warm: in turn, 10 constraints', hard.warm, `cold ${whole(hard.cold)}/s`);
  await owner.end();
}

const whole = (value: number) => Math.round(value).toLocaleString('en');

async function measure(services: Bench['services'], owner: Pool, name: string, traffic: Traffic) {
  const tenant = { org_id: `org_bench_${name}`, environment: 'sandbox' };
  await openEventLog(services.db, tenant);
  await fill(owner, tenant.org_id, 3 * MEASURED, traffic);
  await addMandates(services.db, tenant, services.now(), traffic.constraints);
  await owner.query(sql.unsafe`vacuum analyze events`);
  const assessor = createAssessor(services);
  const reader = createReader(services.db, assessor);
  const run = async (cache: ReturnType<typeof createDetectionCache>) => {
    const start = performance.now();
    for (let done = 0; done < MEASURED;) {
      const options = { limit: RANGE, detectors, cache, assessor, reader, now: services.now };
      const analyzed = await analyzeRange(services.db, tenant, options);
      if (!analyzed || analyzed.events === 0) throw new Error('the log ended early');
      if (analyzed.failures.length > 0) throw new Error(JSON.stringify(analyzed.failures[0]));
      done += analyzed.events;
    }
    return (MEASURED * 1_000) / (performance.now() - start);
  };
  await run(createDetectionCache());
  // As after a restart: the code is warm, and what was read before is not.
  assessor.books.drop(tenant);
  const cache = createDetectionCache();
  const cold = await run(cache);
  return { cold, warm: await run(cache) };
}

/** A log of x402 payments in the normal form, one in 200 ms; where there are mandates, every twentieth with its signed payload. */
async function fill(owner: Pool, org_id: string, events: number, { run, constraints }: Traffic): Promise<void> {
  const begin = Math.floor(Date.now() / 1000) - 86_400;
  const seller = wallet('seller').address;
  const payment = sql.fragment`jsonb_build_object('payment_id', 'pay_' || n, 'rail', 'x402', 'status', 'settled',
    'amount', jsonb_build_object('value', '1000', 'unit', 'atomic', 'asset', jsonb_build_object('network', ${usdc.network}::text,
      'address', ${usdc.address}::text, 'decimals', 6)),
    'payee', jsonb_build_object('key', ${`${usdc.network}:${seller}`}::text, 'name', 'Weather', 'country', 'US'))`;
  await owner.query(sql.unsafe`
    insert into events (org_id, environment, chain_seq, id, type, occurred_at, received_at, source_id, agent_id, owner_id, payee_id,
      payment_id, rail, status, amount_usd_micro, evidence_count, price_key, resource_key, event_digest, leaf_hash, input)
    select ${org_id}, 'sandbox', n, 'evt_' || ${org_id}::text || n, 'payment.settled', t, t, 'src_1',
      'agt_01K000000000000000000' || lpad((n / ${run} % ${AGENTS})::text, 5, '0'), 'own_1', 'pye_1', 'pay_' || n, 'x402', 'settled', 1000,
      case when ${constraints > 0}::boolean and n % ${SIGNED} = 0 then 1 else 0 end, int8send(1000), int8send(n % 3000), '\\x00', '\\x00',
      jsonb_build_object('payment', ${payment}, 'resource_url', 'https://api.example.com/v1/weather', 'evidence', '[]'::jsonb)::text
    from (select n, to_timestamp(${begin}) + n * interval '200 milliseconds' as t from generate_series(1::bigint, ${events}) n) s`);
  await addPayees(owner, org_id, [{ id: 'pye_1', key: `${usdc.network}:${seller}` }]);
  if (constraints === 0) return;
  const rows: string[][] = [];
  for (let n = SIGNED; n <= events; n += SIGNED) {
    const at = begin + Math.floor(n / 5);
    const nonce = `0x${n.toString(16).padStart(64, '0')}` as const;
    const { payload } = await signPayment({
      asset: usdc,
      value: 1_000n,
      valid_after: at - 60,
      valid_before: at + 60,
      nonce,
    });
    rows.push([`evt_${org_id}${n}`, `evd_${n}`, JSON.stringify(payload)]);
  }
  await owner.query(sql.unsafe`
    insert into evidence (org_id, environment, event_id, position, id, kind, encoding, is_object, sha256, value)
    select ${org_id}, 'sandbox', r.event_id, 0, r.id, 'x402.payment_payload', 'utf8', true, '\\x00', r.value
    from ${sql.unnest(rows, ['text', 'text', 'text'])} as r (event_id, id, value)`);
}

/** One mandate for each agent, which its payments keep to. */
async function addMandates(db: Pool, tenant: Tenant, now: number, count: number): Promise<void> {
  if (count === 0) return;
  const payees = [{ key: `${usdc.network}:${wallet('seller').address}` }, { domain: 'example.com' }];
  const constraints = [
    { type: 'payment.amount_range', max: '10000', currency: 'USD' },
    { type: 'payment.budget', max: '100000', currency: 'USD', interval: 'daily', tz: 'Europe/Berlin' },
    { type: 'payment.allowed_payees', payees },
    { type: 'payment.allowed_networks', values: [usdc.network] },
    { type: 'payment.budget', max: '100000', currency: 'USD', interval: 'monthly', window: 'rolling' },
    { type: 'payment.velocity', max: 100_000, window_s: 3_600 },
    { type: 'payment.allowed_rails', values: ['x402', 'card'] },
    { type: 'payment.blocked_countries', values: ['KP'] },
    { type: 'payment.allowed_resources', prefixes: ['https://api.example.com/'] },
    { type: 'payment.approval_required', above: '5000', currency: 'USD' },
  ].slice(0, count);
  await db.transaction(async tx => {
    for (let agent = 0; agent < AGENTS; agent += 1) {
      const agent_id = `agt_01K000000000000000000${String(agent).padStart(5, '0')}`;
      const owner_id = 'own_01K00000000000000000000000';
      const body = NewMandate.parse({ agent_id, owner_id, name: 'Weather', constraints });
      await createMandate(tx, tenant, body, null, now);
    }
  });
}
