import pg from 'pg';
import { Agent, request } from 'undici';
import type { Bench } from './run.ts';

const EVENTS = 1_000_000;
const AGENTS = 2_000;
const PAYEES = 20_000;
const ASKED = 40;

/** How long people wait for a search among a million events, of which one amount, card and order are very common; the slowest of each. */
export async function searching({ database, startApi, figure }: Bench): Promise<void> {
  const api = await startApi();
  const owner = new pg.Client({ connectionString: database.owner_url });
  await owner.connect();
  await fill(owner, api.org_id);
  const dispatcher = new Agent();
  const ask = async (q: string) => {
    const begun = performance.now();
    const { statusCode, body } = await request(`${api.address}/v1/search?q=${encodeURIComponent(q)}`, {
      dispatcher,
      headers: { authorization: `Bearer ${api.key}` },
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${text}`);
    return { ms: performance.now() - begun, found: text.match(/"id"/g)?.length ?? 0 };
  };
  for (const [name, q] of Object.entries({
    'a rare amount': '$7,654.32',
    'an amount of every tenth event': '12.50',
    'an amount nobody paid': '98765.43',
    'a card of every fourth event': '4242',
    'an order': 'PO-777777',
    'a position in the log': '#500000',
    'a payment': 'pay_123456',
    'a payee, rare': 'payee 19999',
    'a name that every payee has': 'payee',
    'a name nobody has': 'zzyzx',
    'two letters': 'pa',
    'an id that is nowhere': 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  })) {
    await ask(q);
    const answers = [];
    for (let count = 0; count < ASKED; count += 1) answers.push(await ask(q));
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    const usual = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)[ASKED / 2] ?? 0;
    figure(
      `ms for ${name}`,
      slowest,
      `the slowest of ${ASKED}; median ${usual.toFixed(1)} ms, ${answers[0]?.found} found (goal 100)`,
    );
  }
  await dispatcher.close();
  await owner.end();
  await api.stop();
}

/** Straight into the tables: what detection and the tree of the log make of them is not searched. */
async function fill(owner: pg.Client, org_id: string): Promise<void> {
  const id = (prefix: string, number: string) => `'${prefix}_01BENCH' || lpad((${number})::text, 19, '0')`;
  await owner.query(`
    insert into agents (org_id, environment, id, external_id, owner_id, name, folded, first_seen_at)
    select '${org_id}', 'sandbox', ${id('agt', 'n')}, 'agent-' || n, 'own_1', 'Agent ' || n, 'agent ' || n, now() - n * interval '1 minute'
    from generate_series(0, ${AGENTS - 1}) n`);
  await owner.query(`
    insert into payees (org_id, environment, id, key, name, folded, first_seen_at)
    select '${org_id}', 'sandbox', ${id('pye', 'n')}, 'domain:p' || n || '.example.com', 'Payee ' || n, 'domain:p' || n || '.example.com payee ' || n,
      now() - n * interval '1 minute'
    from generate_series(0, ${PAYEES - 1}) n`);
  await owner.query(`
    insert into payee_screenings (org_id, environment, payee_id, first_seen_at)
    select org_id, environment, id, first_seen_at from payees where org_id = '${org_id}'`);
  await owner.query(
    `insert into event_logs (org_id, environment, size) values ($1, 'sandbox', $2)
    on conflict (org_id, environment) do update set size = excluded.size`,
    [org_id, EVENTS],
  );
  for (let from = 1; from <= EVENTS; from += 100_000)
    await owner.query(`
      insert into events (org_id, environment, chain_seq, id, type, occurred_at, received_at, source_id, agent_id, owner_id, payee_id, payment_id,
        rail, status, evidence_count, price_key, event_digest, leaf_hash, input)
      select '${org_id}', 'sandbox', n, ${id('evt', 'n')}, 'payment.settled', now() - interval '1 day', now(), 'src_1', ${id('agt', `n % ${AGENTS}`)},
        'own_1', ${id('pye', `n % ${PAYEES}`)}, 'pay_' || n, 'card', 'settled', 0,
        substr(sha256(convert_to(cents || ' USD', 'UTF8')), 1, 8), sha256(n::text::bytea), sha256(n::text::bytea),
        jsonb_build_object('id', n, 'instrument', jsonb_build_object('type', 'card', 'id', 'card_' || n, 'last4', case when n % 4 = 0 then '4242' else lpad((n % 9999)::text, 4, '0') end),
          'metadata', jsonb_build_object('order_id', 'PO-' || n),
          'payment', jsonb_build_object('amount', jsonb_build_object('value', cents, 'unit', 'minor', 'currency', 'USD'),
            'payee', jsonb_build_object('key', 'domain:p' || n % ${PAYEES} || '.example.com')), 'filling', repeat('x', 300))::text
      from (select n, case when n % 10 = 0 then '1250' when n = 654321 then '765432' else (n % 50000 + 1)::text end as cents
        from generate_series(${from}, ${from + 99_999}) n) t`);
  await owner.query('analyze');
}
