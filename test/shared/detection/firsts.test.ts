import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createDetectionCache, type DetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { DAY, MINUTE, timestamp } from '#shared/values/time.ts';
import { event, type EventOptions } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

const start = Date.now() - 2 * DAY;
const iban = (number: string) => `iban:DE${number}`;
const suppliers = [iban('89370400440532013000'), iban('75512108001245126199')] as const;
const persons = [iban('02120300000000202051'), iban('02500105170137075030'), iban('02100500000054540402')] as const;
const shops = [iban('02300606010002474689'), iban('02700100800030876808'), iban('72100100100006820102')] as const;
const wallet = (middle: string) => `eip155:8453:0x1234${middle.repeat(32)}5678`;

type Options = Omit<EventOptions, 'at'> & { minute: number; type_of_payee?: string; country?: string; url?: string };

/** An event so many minutes after the start, with what the detectors of payees read. */
function paid({ minute, type_of_payee, country, url, ...options }: Options) {
  const made = event({
    at: start + minute * MINUTE,
    cents: '100',
    ...options,
    ...(url && { more: { resource_url: url } }),
  });
  const payment = made['payment'] as { payee: object };
  const payee = { ...payment.payee, ...(country && { country }), ...(type_of_payee && { type: type_of_payee }) };
  return { ...made, payment: { ...payment, payee } };
}

const many = (count: number, of: (index: number) => ReturnType<typeof paid>) =>
  Array.from({ length: count }, (_, n) => of(n));

/** Makes each of them fire, some by payments that come late: after what happened later. */
const script = [
  ...many(20, n => paid({ minute: n * 10, agent: 'buyer', country: 'DE' })),
  paid({ minute: 300, agent: 'buyer', payee: 'domain:bahia.example.com', country: 'BR' }),
  ...many(9, n => paid({ minute: 400 + n, agent: 'spreads', payee: `domain:new${n}.example.com` })),
  ...[1_900, 350].map(minute => paid({ minute, agent: 'spreads', payee: 'domain:late.example.com' })),
  ...many(5, n => paid({ minute: 600 - 100 * n, agent: `follower-${n}`, payee: 'domain:trend.example.com' })),
  // A payee that is old by now, and whose first days are told of late.
  ...[-17_000, 605].map(minute => paid({ minute, agent: 'pioneer', payee: 'domain:old.example.com' })),
  ...many(4, n => paid({ minute: n - 16_900, agent: `settler-${n}`, payee: 'domain:old.example.com' })),
  ...suppliers.map((payee, n) => paid({ minute: 610 + n, agent: 'books', payee, url: `https://erp.example.com/${n}` })),
  ...persons.map((payee, n) => {
    const person = { payee_name: 'Anna Lang', type_of_payee: 'individual' };
    return paid({ minute: 630 + n, agent: n === 1 ? 'shop' : 'wages', payee, ...person });
  }),
  ...['Bright Harbor Foods', 'Birght Harbor Foods Ltd'].map((payee_name, n) =>
    paid({ minute: 636 + n, agent: 'table', payee: shops[n] ?? '', payee_name }),
  ),
  ...(['payment.requested', 'payment.settled'] as const).map((type, n) => {
    const named = n === 0 ? { status: 'pending' } : { payee_name: 'Bright Harrbor Foods' };
    return paid({ minute: 638 + n, agent: 'table', payee: shops[2], type, payment_id: 'later named', ...named });
  }),
  paid({ minute: 640, agent: 'calls', payee: wallet('a') }),
  ...(['payment.requested', 'payment.settled'] as const).map((type, n) =>
    paid({
      minute: 650 + n,
      agent: 'calls',
      payee: wallet('b'),
      type,
      payment_id: 'fake',
      ...(n === 0 && { status: 'pending' }),
    }),
  ),
  paid({ minute: 705, agent: 'doubts', payment_id: 'undone', type: 'payment.failed' }),
  paid({ minute: 700, agent: 'doubts', payment_id: 'undone' }),
  ...['900', '800', '900'].map((cents, n) =>
    paid({ minute: 700 + 10 * n, agent: 'doubts', payment_id: 'twice', cents }),
  ),
  paid({ minute: 800, agent: 'fleet', payee: 'domain:ocean.example.com' }),
];

const expected = [
  'country_change',
  'lookalike_wallet',
  'payee_fan_in',
  'payee_fan_out',
  'payee_substitution',
  'sanctions_match',
  'status_conflict',
];

const flag = ({ db }: World, org_id: string) =>
  db.query(sql.unsafe`
    update payee_screenings set state = 'potential_match', score = 0.91, match = 'Ocean Shipping'
    where org_id = ${org_id} and payee_id in (
      select id from payees where org_id = ${org_id} and key = 'domain:ocean.example.com')`);

/** What was raised, without what differs from one organization to the next. */
const alertsOf = ({ db }: World, org_id: string) =>
  db.anyFirst(sql.type(z.object({ alert: z.string() }))`
    select concat_ws(' | ', a.detector, g.external_id, coalesce(y.key, a.subject), a.score, a.severity, a.title, a.explanation,
      (select count(*) from alert_events e where e.org_id = a.org_id and e.alert_id = a.id)) as alert
    from alerts a
    join agents g on g.org_id = a.org_id and g.id = a.agent_id
    left join payees y on y.org_id = a.org_id and y.id = a.subject
    where a.org_id = ${org_id} and a.detector = any(${sql.array(expected, 'text')}) order by 1`);

test('who is paid for the first time is told alike, however the log is cut into ranges and whoever takes the next one', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const kept = createDetectionCache();
  const ways: [limit: number, cacheOf: () => DetectionCache][] = [
    [1_000, () => kept],
    [1, () => kept],
    [3, createDetectionCache],
  ];
  const results: (readonly string[])[] = [];
  for (const [limit, cacheOf] of ways) {
    const org = await w.organization(`by ${limit}`);
    const of = { org_id: org.id, environment: w.tenant.environment };
    const sent = await w.client((await w.key(org.id)).key).post('/v1/events', { events: script });
    t.is(sent.body.accepted, script.length);
    await flag(w, org.id);
    const { assessor } = w;
    for (let more = true; more;) {
      const analyzed = await analyzeRange(w.db, of, { limit, detectors, cache: cacheOf(), assessor, now: Date.now });
      t.deepEqual(analyzed?.failures ?? [], []);
      more = (analyzed?.events ?? 0) > 0;
    }
    results.push(await alertsOf(w, org.id));
  }
  const [whole = [], ...others] = results;
  for (const other of others) t.deepEqual(other, whole);
  t.deepEqual([...new Set(whole.map(alert => alert.split(' | ')[0]))], expected);
  t.deepEqual(
    whole.flatMap(alert => /^payee_substitution \| (\w+) \| (\S+)/.exec(alert)?.slice(1, 3).join(' ') ?? []),
    [`books ${suppliers[1]}`, `table ${shops[1]}`, `table ${shops[2]}`, `wages ${persons[2]}`],
  );
  // No account number is told in full, not even where the payee has no name.
  t.notRegex(whole.map(alert => alert.split(' | ').slice(5).join()).join(), /DE\d{6}/);
  for (const text of [
    /fan_out \| spreads .*10 new payees/,
    /fan_in \| settler-3 \| domain:old\.example\.com .*5 agents/,
    /sanctions_match \| fleet \| domain:ocean\.example\.com \| 91\.0 \| critical/,
  ])
    t.true(
      whole.some(alert => text.test(alert)),
      `${text}\n${whole.join('\n')}`,
    );
});

test('what an agent paid for the first time is written once, and a payment that comes late makes it earlier', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const first = {
    agent: 'calls',
    payee: wallet('a'),
    payee_name: 'Acme',
    country: 'DE',
    url: 'https://api.example.com/x',
  };
  const rowsOf = async () => ({
    pairs: await w.db.any(sql.type(z.object({ at: z.string(), seq: z.number() }))`
      select first_seen_at as at, first_seq as seq from agent_payees`),
    countries: await w.db.anyFirst(sql.type(z.object({ row: z.string() }))`
      select country || ' ' || first_seq as row from agent_countries`),
    identities: await w.db.anyFirst(sql.type(z.object({ row: z.string() }))`
      select split_part(identity, ':', 1) || ' ' || first_seq as row from payee_identities order by 1`),
  });
  for (const [minute, earliest] of [
    [60, 60],
    [90, 60],
    [30, 30],
  ] as const) {
    await w.as.post('/v1/events', paid({ ...first, minute }));
    await w.analyze();
    const { pairs, countries, identities } = await rowsOf();
    t.deepEqual(
      pairs.map(({ at, seq }) => [timestamp(Date.parse(at)), seq]),
      [[timestamp(start + earliest * MINUTE), 1]],
    );
    t.deepEqual([...countries], ['DE 1']);
    t.deepEqual([...identities], ['domain 1', 'name 1', 'wallet 1']);
  }
});

test('a payee that is paid under more names than are kept at hand is not taken for its own namesake', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const names = many(205, n => paid({ minute: n, agent: 'calls', payee: wallet('a'), payee_name: `Stall ${n}` }));
  const again = names.map((_, n) =>
    paid({ minute: 300 + n, agent: 'calls', payee: wallet('a'), payee_name: `Stall ${n}` }),
  );
  await w.as.post('/v1/events', {
    events: [...names, paid({ minute: 250, agent: 'calls', payee: wallet('b'), payment_id: 'fake' })],
  });
  await w.analyze();
  await w.as.post('/v1/events', { events: again });
  await analyzeRange(w.db, w.tenant, {
    limit: 1_000,
    detectors,
    cache: createDetectionCache(),
    assessor: w.assessor,
    now: Date.now,
  });
  const alerts = (await alertsOf(w, w.tenant.org_id)).filter(alert => !alert.startsWith('payee_fan'));
  t.deepEqual(
    alerts.map(alert => alert.split(' | ').slice(0, 3).join(' ')),
    [`lookalike_wallet calls ${await keyOfFake(w)}`],
  );
});

const keyOfFake = ({ db }: World) =>
  db.oneFirst(sql.type(z.object({ key: z.string() }))`select key from payees where lower(key) = ${wallet('b')}`);
