import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { event, type EventOptions } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';
import { flow } from '#test/shared/assessment/flow.ts';
import { diceOf } from './script.ts';

const start = Date.now() - 20 * HOUR;

type Options = Omit<EventOptions, 'at' | 'agent'> & { at?: number; country?: string; agent?: string };
type Made = ReturnType<typeof event>;

/** An event so long after the start. */
function paid({ at = 0, country, ...options }: Options): Made {
  const made = event({ at: start + at, cents: '100', ...options });
  const payment = made['payment'] as { payee: object };
  return { ...made, payment: { ...payment, payee: { ...payment.payee, ...(country && { country }) } } };
}

const many = (count: number, of: (index: number) => Options) => Array.from({ length: count }, (_, n) => paid(of(n)));
const shop = (n: number | string) => `domain:shop-${n}.example.com`;
const wallet = (middle: string) => `eip155:8453:0x1234${middle.repeat(32)}5678`;
const iban = (n: number) => `iban:DE${['89370400440532013000', '75512108001245126199'][n]}`;

type Rule = { sent: (agent: string) => Made[]; alert: RegExp };

/** Each rule of the table as it stands there, for an agent that was never heard of; the names of rules become those of their agents. */
const rules: Record<string, Rule> = {
  'velocity_count minute': {
    sent: agent => many(21, n => ({ agent, at: n * 2_900 + (n % 3) * 41, payee: shop(n % 7), cents: String(1 + n) })),
    alert: /^velocity_count  50\.0 medium$/,
  },
  'velocity_count hour': {
    sent: agent => many(201, n => ({ agent, at: n * 17_900, payee: shop(n % 7), cents: String(1 + n) })),
    alert: /^velocity_count  50\.0 medium$/,
  },
  'spend_velocity hour': {
    sent: agent => many(2, n => ({ agent, at: n * 59 * MINUTE, payee: shop(n), cents: String(2_500 + n) })),
    alert: /^spend_velocity  50\.0 medium$/,
  },
  'spend_velocity day': {
    sent: agent => many(5, n => ({ agent, at: n * 4 * HOUR - 10 * MINUTE, payee: shop(n), cents: String(4_000 + n) })),
    alert: /^spend_velocity  50\.0 medium$/,
  },
  amount_outlier: {
    sent: agent => [
      ...many(20, n => ({ agent, at: (n - 40) * HOUR, payee: shop(n % 4), cents: String(90 + n) })),
      paid({ agent, payee: shop(1), cents: '900' }),
    ],
    alert: /^amount_outlier domain:shop-1\.example\.com \d+\.\d (medium|high|critical)$/,
  },
  new_payee_high_amount: {
    sent: agent => [paid({ agent, payee: shop('new'), cents: '10100' })],
    alert: /^new_payee_high_amount domain:shop-new\.example\.com 50\.3 medium$/,
  },
  duplicate_payment: {
    sent: agent => many(2, n => ({ agent, at: n * 9 * MINUTE, payee: shop('twice'), cents: '1900' })),
    alert: /^duplicate_payment domain:shop-twice\.example\.com 70\.0 high$/,
  },
  'duplicate_payment timeout': {
    sent: agent => many(2, n => ({ agent, at: n * 30 * SECOND, payee: shop('late'), cents: '1900' })),
    alert: /^duplicate_payment domain:shop-late\.example\.com 85\.0 high$/,
  },
  'duplicate_payment resource': {
    sent: agent =>
      many(2, n => ({
        agent,
        at: n * 11 * HOUR,
        payee: shop('r'),
        cents: '1900',
        more: { resource_url: 'https://a.example.com/r' },
      })),
    alert: /^duplicate_payment domain:shop-r\.example\.com 70\.0 high$/,
  },
  'duplicate_payment invoice': {
    sent: agent =>
      ['Invoice INV-2031', 'Second reminder: invoice no. inv-2031'].map((description, n) =>
        paid({ agent, at: (n * 20 - 30) * DAY, payee: shop('bill'), cents: '480000', more: { description } }),
      ),
    alert: /^duplicate_payment domain:shop-bill\.example\.com 70\.0 high$/,
  },
  runaway_loop: {
    sent: agent => many(10, n => ({ agent, at: n * 20 * SECOND, payee: shop('loop'), cents: '3' })),
    alert: /^runaway_loop domain:shop-loop\.example\.com 50\.0 medium$/,
  },
  'runaway_loop unsettled': {
    sent: agent =>
      many(10, n => ({
        agent,
        at: n * n * 3 * SECOND,
        payee: shop('try'),
        cents: '3',
        type: 'payment.authorized',
        more: { context: { attempt: n } },
      })),
    alert: /^runaway_loop domain:shop-try\.example\.com 90\.0 critical$/,
  },
  failed_payment_burst: {
    sent: agent =>
      many(10, n => ({
        agent,
        at: n * n * 5 * SECOND,
        payee: shop(n),
        cents: String(n + 5),
        ...(n % 2 === 0 && { type: 'payment.failed' }),
      })),
    alert: /^failed_payment_burst  50\.0 medium$/,
  },
  dormant_agent: {
    sent: agent => [
      ...many(5, n => ({ agent, at: -30 * DAY - n * 60 * MINUTE, payee: shop(n) })),
      paid({ agent, payee: shop('back') }),
    ],
    alert: /^dormant_agent  75\.0 high$/,
  },
  payee_fan_out: {
    sent: agent => many(10, n => ({ agent, at: n * 100 * MINUTE, payee: shop(`fan-${n}`), cents: String(n + 30) })),
    alert: /^payee_fan_out  50\.0 medium$/,
  },
  payee_fan_in: {
    sent: agent =>
      many(5, n => ({
        agent: n === 4 ? agent : `follower ${n}`,
        at: n * 4 * HOUR,
        payee: shop('in'),
        cents: String(n + 30),
      })),
    alert: /^payee_fan_in domain:shop-in\.example\.com 70\.0 high$/,
  },
  country_change: {
    sent: agent => [
      ...many(20, n => ({ agent, at: n * 7 * MINUTE, country: 'DE', payee: shop(n % 5), cents: String(n + 9) })),
      paid({ agent, at: 4 * HOUR, country: 'BR', payee: shop('br') }),
    ],
    alert: /^country_change BR 50\.0 medium$/,
  },
  'country_change high risk': {
    sent: agent => [paid({ agent, country: 'KP', payee: shop('kp') })],
    alert: /^country_change KP 85\.0 high$/,
  },
  price_drift: {
    sent: agent =>
      many(21, n => ({
        agent,
        at: n * 40 * MINUTE,
        payee: shop('api'),
        cents: n === 20 ? '150' : '100',
        more: { resource_url: 'https://a.example.com/x', context: { tool_call_id: `c${n}` } },
      })),
    alert: /^price_drift domain:shop-api\.example\.com 50\.0 medium$/,
  },
  'price_drift settled above authorized': {
    sent: agent =>
      [0, 1].map(n =>
        paid({
          agent,
          at: n * MINUTE,
          payment_id: 'over',
          payee: shop('over'),
          cents: n ? '101' : '100',
          type: n ? 'payment.settled' : 'payment.authorized',
        }),
      ),
    alert: /^price_drift domain:shop-over\.example\.com 95\.0 critical$/,
  },
  'payee_substitution name': {
    sent: agent =>
      many(2, n => ({
        agent,
        at: n * HOUR,
        payee: iban(n),
        payee_name: n ? 'ACME  gmbh' : 'Acme GmbH',
        cents: String(n + 70),
      })),
    alert: /^payee_substitution iban:DE75512108001245126199 80\.0 high$/,
  },
  'payee_substitution host': {
    sent: agent =>
      many(2, n => ({
        agent,
        at: n * HOUR,
        payee: `eip155:8453:0x${String(n + 1).repeat(40)}`,
        cents: String(n + 70),
        more: { resource_url: `https://sub.example.com/${n}` },
      })),
    alert: /^payee_substitution eip155:8453:0x2{40} 80\.0 high$/,
  },
  lookalike_wallet: {
    sent: agent =>
      ['a', 'b'].map((middle, n) => paid({ agent, at: n * HOUR, payee: wallet(middle), cents: String(n + 70) })),
    alert: /^lookalike_wallet eip155:8453:0x1234b{32}5678 95\.0 critical$/i,
  },
  'status_conflict undone': {
    sent: agent =>
      ['settled', 'failed'].map((type, n) =>
        paid({ agent, at: n * HOUR, payment_id: 'undone', payee: shop('u'), type: `payment.${type}` }),
      ),
    alert: /^status_conflict undone 65\.0 medium$/,
  },
  'status_conflict amount': {
    sent: agent =>
      ['500', '600'].map((cents, n) => paid({ agent, at: n * HOUR, payment_id: 'changed', payee: shop('c'), cents })),
    alert: /^status_conflict changed 65\.0 medium$/,
  },
};

const Row = z.object({ agent: z.string(), line: z.string() });

const alertsOf = ({ db }: World, org_id: string) =>
  db.any(sql.type(Row)`
    select g.external_id as agent, concat_ws(' ', a.detector, coalesce(y.key, a.subject), a.score, a.severity) as line
    from alerts a join agents g on g.org_id = a.org_id and g.id = a.agent_id
    left join payees y on y.org_id = a.org_id and y.id = a.subject
    where a.org_id = ${org_id}`);

/** Where the order of arrival decides who comes second, the alert is the other's. */
const decidedByArrival = /^payee_|^lookalike|country_change$|amount_outlier|price_drift$|^dormant|duplicate|new_payee/;

test('every rule of the table fires as it stands there, for an agent that was never heard of', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  for (const [name, { sent, alert }] of Object.entries(rules)) {
    const org = await w.organization(name);
    const of = { org_id: org.id, environment: w.tenant.environment };
    const { body } = await w.client((await w.key(org.id)).key).post('/v1/events', { events: sent(name) });
    t.is(body.rejected, 0, JSON.stringify(body).slice(0, 500));
    await w.analyze({ of });
    const lines = (await alertsOf(w, org.id)).map(row => row.line);
    t.true(
      lines.some(line => alert.test(line)),
      `${name}: ${lines.join(', ')}`,
    );
  }
});

test('and in whatever order the events arrive', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const dice = diceOf(7);
  for (const [name, { sent, alert }] of Object.entries(rules)) {
    if (decidedByArrival.test(name)) continue;
    const org = await w.organization(newId('org'));
    const of = { org_id: org.id, environment: w.tenant.environment };
    const events = sent(name)
      .map(made => ({ made, key: dice(1_000) }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ made }) => made);
    await w.client((await w.key(org.id)).key).post('/v1/events', { events });
    await w.analyze({ of, limit: 4 });
    const lines = (await alertsOf(w, org.id)).map(row => row.line);
    t.true(
      lines.some(line => alert.test(line)),
      `${name}: ${lines.join(', ')}`,
    );
  }
});

test('payments just below what a mandate allows, or lets pass without approval, and two sources that disagree', async t => {
  const { mandate, send, pay, analyze, db, tenant, as } = await flow(t);
  const agents = ['amount_range', 'approval_required'].map(() => newId('agt'));
  const [ranged = '', approved = ''] = agents;
  await mandate([{ type: 'payment.amount_range', currency: 'USD', max: '1000' }], { agent_id: ranged });
  await mandate([{ type: 'payment.approval_required', currency: 'USD', above: '1000' }], { agent_id: approved });
  for (const agent_id of agents)
    await send(
      ['850', '999', '900'].map((cents, n) =>
        pay({ at: n * 11 * HOUR - 20 * HOUR, cents, payee: shop(n), more: { agent_id } }),
      ),
    );
  const sources: string[] = [];
  for (const name of ['till', 'bank'])
    sources.push((await as.post('/v1/sources', { name, kind: 'psp_webhook' })).body.id);
  const doubtful = newId('agt');
  await send(
    ['payment.failed', 'payment.settled'].map((type, n) =>
      pay({ at: n * MINUTE, type, payment_id: 'who', more: { agent_id: doubtful, source_id: sources[n] } }),
    ),
  );
  await analyze();
  const alerts = await db.any(sql.type(Row)`
    select agent_id as agent, concat_ws(' ', detector, subject, score, severity) as line from alerts where org_id = ${tenant.org_id}`);
  const linesOf = (agent: string) => alerts.flatMap(row => (row.agent === agent ? [row.line] : []));
  for (const agent of agents) t.true(linesOf(agent).includes('just_under_limit  70.0 high'), linesOf(agent).join(', '));
  t.true(linesOf(doubtful).includes('status_conflict who 65.0 medium'), linesOf(doubtful).join(', '));
});
