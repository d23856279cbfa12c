import test from 'ava';
import { every, HOUR, noon, play, type EventStep } from '#test/helpers/play.ts';

const run = (steps: EventStep[], params = {}) => play(steps, 'price_drift', { params });
const DAY = 24 * HOUR;
/** Twenty days of one price for one thing. */
const report = every(DAY, 20, noon - 20 * DAY, { usd: 1, resource_key: 'report' });
const next = (usd: number, more: Partial<EventStep> = {}): EventStep => ({
  at: noon,
  usd,
  resource_key: 'report',
  ...more,
});

test('one and a half times what a thing has cost raises an alert that compares it with the median', t => {
  const [finding, ...more] = run([...report, next(1.5)]);
  t.deepEqual(more, []);
  t.like(finding, { score: 50, subject: 'pye_1', seqs: [21] });
  t.is(finding?.title, '$1.50 to {payee} for what usually costs $1.00');
  t.regex(finding?.explanation ?? '', /1\.5 times the median of \$1\.00 over the agent's last 20 settled payments/);
  t.regex(finding?.explanation ?? '', /from \$1\.50: 1\.5 times the median, and at least \$0\.05 more/);
  t.is(run([...report, next(2.25)])[0]?.score, 75);
});

test('a rise of less than half, one of less than five cents, and a fall are no drift', t => {
  t.deepEqual(run([...report, next(1.49)]), []);
  t.deepEqual(run([...report, next(0.2)]), []);
  const cheap = report.map(step => ({ ...step, usd: 0.02 }));
  t.deepEqual(run([...cheap, next(0.06)]), []);
  t.is(run([...cheap, next(0.07)]).length, 1);
});

test('prices are compared for the same thing at the same payee, and only from three on', t => {
  t.deepEqual(run([...report, next(9, { resource_key: 'atlas' })]), []);
  t.deepEqual(run([...report, next(9, { payee_id: 'pye_2' })]), []);
  t.deepEqual(run([...report, next(9, { resource_key: null })]), []);
  t.deepEqual(run([...report.slice(18), next(9)]), []);
  t.is(run([...report.slice(17), next(9)]).length, 1);
  t.deepEqual(run([...report.map(step => ({ ...step, type: 'payment.failed' as const })), next(9)]), []);
});

test('what names no resource is one thing where the payee has got one price five times, and no other since', t => {
  const unnamed = (count: number, usd = 49) => every(DAY, count, noon - count * DAY, { usd, resource_key: null });
  const tripled = next(139, { resource_key: null });
  const [finding] = run([...unnamed(5), tripled]);
  t.is(finding?.title, '$139.00 to {payee} for what usually costs $49.00');
  t.regex(
    finding?.explanation ?? '',
    /last 5 settled payments to it that name no resource, of which none was above \$49\.00/,
  );
  t.deepEqual(run([...unnamed(4), tripled]), []);
  t.deepEqual(run([...unnamed(6), next(20, { resource_key: null, at: noon - HOUR }), tripled]), []);
  t.deepEqual(run([...unnamed(6), { ...tripled, payee_id: 'pye_2' }]), []);
  t.deepEqual(run([...unnamed(6), next(60, { resource_key: null })]), []);
});

test('several of what names no resource, paid at once, are no dearer: whole multiples, as near as rates go', t => {
  const topUps = every(DAY, 8, noon - 8 * DAY, { usd: 50, resource_key: null });
  const paid = (usd: number) => run([...topUps, next(usd, { resource_key: null })]).length;
  t.deepEqual([100, 150, 250, 500, 151.5].map(paid), [0, 0, 0, 0, 0]);
  t.deepEqual([125, 135, 154, 1_000].map(paid), [1, 1, 1, 1]);
  const double = next(100, { resource_key: null, at: noon - HOUR });
  t.is(
    run([...topUps, double, next(999, { resource_key: null })]).length,
    1,
    'what was paid for two is not the price of one',
  );
  const named = every(DAY, 8, noon - 8 * DAY, { usd: 50, resource_key: 'report' });
  t.is(run([...named, next(100, { resource_key: 'report' })]).length, 1);
});

test('baskets vary by themselves, so a larger one is no drift; one beyond all measure is', t => {
  const sizes = [1, 1.7, 0.6, 1.2, 2.4, 0.8, 1.9, 0.5, 1.1, 1.4];
  const baskets = report.map((step, index) => ({ ...step, usd: 10 * (sizes[index % sizes.length] ?? 1) }));
  t.deepEqual(run([...baskets, next(30)]), []);
  t.regex(run([...baskets, next(2_000)])[0]?.explanation ?? '', /well above how much these prices vary/);
});

test('a price that creeps up is told of when it has come far enough', t => {
  const creeping = report.map((step, index) => ({ ...step, usd: 1.05 ** index }));
  t.true(run([...creeping, next(1.05 ** 20)]).length > 0);
});

test('a rise that stays is told of at first, and is the price when it has been paid three times', t => {
  const risen = every(DAY, 6, noon, { usd: 2, resource_key: 'report' });
  t.deepEqual(
    run([...report, ...risen]).map(({ seq }) => seq),
    [21, 22, 23],
  );
});

test('later prices do not tell of an event that comes late', t => {
  const later = report.map(step => ({ ...step, at: step.at + 40 * DAY }));
  t.deepEqual(run([...later, next(5)]), []);
});

test('a price in a foreign currency, worth other dollars every day, is one price', t => {
  const foreign = report.map((step, index) => ({ ...step, price_key: '90 EUR', usd: 1 + (index % 3) / 100 }));
  t.deepEqual(run([...foreign, next(1.03, { price_key: '90 EUR' })]), []);
  t.is(run([...foreign, next(1.6, { price_key: '144 EUR' })]).length, 1);
});

const authorized = { at: noon, usd: 10, payment_id: 'x', type: 'payment.authorized' as const };
const settled = { at: noon + HOUR, usd: 10.01, payment_id: 'x' };

test('a cent more settled than authorized raises an alert, whichever of the two is reported first', t => {
  for (const steps of [
    [authorized, settled],
    [settled, authorized],
  ]) {
    const [finding, ...more] = run(steps);
    t.deepEqual(more, []);
    t.like(finding, { score: 95, subject: 'pye_1' });
    t.is(finding?.title, '$10.01 settled to {payee}, $10.00 authorized');
    t.regex(finding?.explanation ?? '', /\$0\.01 \(0\.1%\) more/);
  }
});

test('whole cents for an authorization in parts of a cent are no overcharge', t => {
  for (const [usd, found] of [
    [0.57, 0],
    [0.58, 1],
    [0.569918, 1],
  ] as const)
    t.is(
      run([
        { ...authorized, usd: 0.569917 },
        { ...settled, usd },
      ]).length,
      found,
      String(usd),
    );
});

test('what was authorized, less of it, or a price in another currency at the rate of another day is no overcharge', t => {
  t.deepEqual(run([authorized, { ...settled, usd: 10 }]), []);
  t.deepEqual(run([authorized, { ...settled, usd: 7 }]), []);
  const euros = { price_key: '9 EUR' };
  t.deepEqual(
    run([
      { ...authorized, ...euros },
      { ...settled, ...euros },
    ]),
    [],
  );
  t.deepEqual(
    run([
      { ...settled, ...euros },
      { ...authorized, ...euros },
    ]),
    [],
  );
  t.deepEqual(run([settled, { ...authorized, at: noon + 2 * HOUR }]), []);
  t.deepEqual(run([settled]), []);
});

const euros = (usd: number, cents: number) => ({ usd, price_key: `${cents} EUR` });
const overcharged = (steps: EventStep[], category?: string) =>
  play(
    steps.map(step => ({ payment_id: 'x', ...step })),
    'price_drift',
    category === undefined ? {} : { category },
  );

test('what a bank adds where it exchanges currencies is no overcharge; more than that is told in both, whatever the rail', t => {
  const yen = { ...authorized, usd: 76.2, price_key: '12000 JPY' };
  for (const rail of ['card', 'sepa'] as const) {
    const [first, second] = [
      { ...yen, rail },
      { at: noon + HOUR, rail },
    ];
    t.deepEqual(overcharged([first, { ...second, ...euros(77.48, 6820) }]), []);
    t.deepEqual(overcharged([{ ...second, ...euros(80.01, 7040) }, first]), []);
    t.is(overcharged([{ ...second, ...euros(80.02, 7041) }, first]).length, 1);
    const [finding, ...more] = overcharged([first, { ...second, ...euros(107.9, 9495) }]);
    t.deepEqual(more, []);
    t.is(finding?.title, '€94.95 settled to {payee}, ¥12,000 authorized');
    t.regex(
      finding?.explanation ?? '',
      /^€94\.95 \(\$107\.90\) was settled .* of which ¥12,000 \(\$76\.20\) was authorized: \$31\.70 \(41\.6%\) more\. .* beyond 5% for the exchange of one currency for another\.(?: On a card, up to 50% and \$100 more .*)?$/,
    );
  }
});

test('one currency, or a token that stands for it, is compared exactly, whatever its rate was on either day', t => {
  const euro = { ...authorized, ...euros(105, 10000) };
  const token = 'eip155:8453/0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42';
  t.deepEqual(overcharged([euro, { ...settled, ...euros(108.9, 9900) }]), []);
  t.deepEqual(overcharged([euro, { ...settled, usd: 106, price_key: `100000000 ${token}` }]), []);
  const [finding] = overcharged([euro, { ...settled, ...euros(102, 10400) }]);
  t.is(finding?.title, '€104.00 settled to {payee}, €100.00 authorized');
  t.regex(finding?.explanation ?? '', /: €4\.00 \(4%\) more\. An alert is raised whenever/);
  const unknown = (value: number) => ({
    usd: null,
    price_key: `${value} eip155:1/0x00000000000000000000000000000000000000aa`,
  });
  t.is(
    overcharged([
      { ...authorized, ...unknown(100) },
      { ...settled, ...unknown(101) },
    ]).length,
    1,
  );
  t.deepEqual(
    overcharged([
      { ...authorized, ...unknown(100) },
      { ...settled, ...unknown(99) },
    ]),
    [],
  );
});

test('both amounts are those of the two reports, whatever was disputed', t => {
  const disputed = { ...settled, type: 'payment.disputed', at: noon + 2 * HOUR, usd: 5 } as const;
  for (const steps of [
    [settled, disputed, authorized],
    [authorized, disputed, settled],
  ]) {
    const [finding, ...more] = overcharged(steps);
    t.deepEqual(more, []);
    t.is(finding?.title, '$10.01 settled to {payee}, $10.00 authorized');
  }
});

test('tips, minibars and pumps may add what card networks let them add', t => {
  for (const [category, within, above] of [
    ['5812', 13, 13.01],
    ['7011', 11.5, 11.51],
    ['5542', 11.5, 11.51],
    ['5411', 10, 10.01],
  ] as const) {
    t.deepEqual(overcharged([authorized, { ...settled, usd: within }], category), [], category);
    t.is(overcharged([authorized, { ...settled, usd: above }], category).length, 1, category);
  }
  const token = { ...authorized, usd: 1 };
  t.deepEqual(overcharged([token, { ...settled, usd: 249.99 }], '5542'), []);
  t.is(overcharged([token, { ...settled, usd: 250 }], '5542').length, 1);
  t.is(
    overcharged(
      [
        { ...token, usd: 0 },
        { ...settled, usd: 30 },
      ],
      '5542',
    ).length,
    1,
  );
  t.is(overcharged([token, { ...settled, usd: 30 }], '5812').length, 1);
  const onChain = [authorized, { ...settled, usd: 11 }].map(step => ({ ...step, rail: 'x402' as const }));
  t.is(overcharged(onChain, '5812').length, 1);
});

test('where several agents’ cards often settle a little more, that is how they are charged; much more, or by transfer, is told', t => {
  const paid = (index: number, usd: number, rail: 'card' | 'sepa' = 'card') =>
    [authorized, { ...settled, usd }].map(step => ({
      ...step,
      at: step.at + index * DAY,
      agent_id: `agt_${index % 3}`,
      payment_id: `p${index}`,
      payee_id: `pye_${index}`,
      rail,
    }));
  const tips = [0, 1, 2, 3, 4, 5].flatMap(index => paid(index, 11.8));
  t.is(run([...tips, ...paid(6, 12.5)]).length, 5, 'a quarter is as usual as a sixth');
  const told = run([...tips, ...paid(6, 12.6), ...paid(7, 11, 'sepa')]).map(({ subject }) => subject);
  t.deepEqual(told, ['pye_0', 'pye_1', 'pye_2', 'pye_3', 'pye_4', 'pye_6', 'pye_7']);
  const more = [0, 1, 2, 3, 4, 5].flatMap(index => paid(index, 12.6));
  const of_more = run([...more, ...paid(6, 11), ...paid(7, 13.6), ...paid(8, 16)]).map(({ subject }) => subject);
  t.deepEqual(
    of_more,
    ['pye_0', 'pye_1', 'pye_2', 'pye_3', 'pye_4', 'pye_7', 'pye_8'],
    'less is usual too, more is not',
  );
  const all = [0, 1, 2, 3, 4, 5];
  t.is(run(all.flatMap(index => paid(index, 16))).length, 6, 'more than half as much is no tip');
  const one_payee = all.flatMap(index => paid(index, 11.8).map(step => ({ ...step, payee_id: 'pye_1' })));
  t.is(run(one_payee).length, 6, 'one merchant says nothing of the others');
  const large = (index: number) =>
    paid(index, 11.8).map(step => ({ ...step, usd: (step.usd ?? 0) * 60, price_key: `${step.usd} large` }));
  t.is(run([...tips, ...large(6)]).at(-1)?.subject, 'pye_6', 'more than $100 is no tip');
  const of_one = run([0, 3, 6, 9, 12, 15, 16].flatMap(index => paid(index, 11.8))).map(({ subject }) => subject);
  t.deepEqual(
    of_one,
    ['pye_0', 'pye_3', 'pye_6', 'pye_9', 'pye_12', 'pye_16'],
    'one agent says nothing of the others, but of itself',
  );
});

test('how large a rise has to be is a setting', t => {
  t.is(run([...report, next(1.2)], { ratio: 1.2 }).length, 1);
  t.deepEqual(run([...report, next(1.5)], { least_usd: '0.6' }), []);
  t.deepEqual(run([...report, next(1.5)], { least_payments: 21 }), []);
});
