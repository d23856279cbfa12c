import fc from 'fast-check';
import test from 'ava';
import { HOUR, MINUTE, noon, play, type EventStep } from '#test/helpers/play.ts';

const run = (steps: EventStep[]) =>
  play(
    steps.map(step => ({ payment_id: 'p', ...step })),
    'status_conflict',
  );
const settled = { at: noon, type: 'payment.settled', usd: 25 } as const;
const failed = { at: noon + 5 * MINUTE, type: 'payment.failed', usd: 25 } as const;
const psp = { source_id: 'src_psp' };

test('settled and later failed or canceled is a contradiction, in whatever order it arrives', t => {
  const [finding, ...more] = run([settled, failed]);
  t.deepEqual(more, []);
  t.like(finding, {
    score: 65,
    subject: 'p',
    seqs: [1, 2],
    title: 'A payment to {payee} failed after it was settled',
  });
  t.regex(
    finding?.explanation ?? '',
    /“src_1” reported that it was settled for \$25\.00 at 2026-11-20 12:00:00 UTC; “src_1” reported that it failed at 2026-11-20 12:05:00 UTC/,
  );
  t.is(run([failed, settled]).length, 1);
  t.is(
    run([{ ...failed, type: 'payment.canceled' }, settled])[0]?.title,
    'A payment to {payee} was canceled after it was settled',
  );
});

test('a bank transfer that fails after it settled may have been returned, and the alert says so', t => {
  const told = (rail: 'ach' | 'sepa' | 'card', type: 'payment.failed' | 'payment.canceled' = 'payment.failed') =>
    run([
      { ...settled, rail },
      { ...failed, type, rail },
    ])[0]?.explanation.includes('A bank can return such a transfer');
  t.true(told('ach'));
  t.true(told('sepa'));
  t.false(told('card'));
  t.false(told('ach', 'payment.canceled'));
});

test('one refund well above the price is a contradiction, once, and several are none', t => {
  const refund = (usd: number | null, at = noon + HOUR) => ({ at, type: 'payment.refunded', usd }) as const;
  const [finding, ...more] = run([settled, refund(30), refund(40)]);
  t.deepEqual(more, []);
  t.like(finding, { score: 65, subject: 'p', seqs: [2], title: '{payee} refunded $30.00 of a payment of $25.00' });
  t.regex(
    finding?.explanation ?? '',
    /^\$30\.00 was refunded of one payment to \{payee\} of which \$25\.00 was settled\./,
  );
  t.deepEqual(
    run([refund(30), settled]).map(({ title }) => title),
    [finding?.title],
  );
  // In another currency the dollars of a whole refund differ from day to day, and two sources may report the same one.
  for (const usd of [25, 27.5, null]) t.deepEqual(run([settled, refund(usd), refund(usd)]), []);
  t.deepEqual(run([{ ...settled, type: 'payment.authorized' }, refund(30)]), []);
});

test('failed and later settled by the same source is a retry, canceled only where it was authorized anew', t => {
  t.deepEqual(run([{ ...failed, at: noon - HOUR }, settled]), []);
  const canceled = { ...failed, at: noon - HOUR, type: 'payment.canceled' } as const;
  for (const steps of [
    [canceled, settled],
    [settled, canceled],
  ])
    t.deepEqual(
      run(steps).map(({ title }) => title),
      ['A payment to {payee} was settled after it was canceled'],
    );
  const authorized = { ...settled, type: 'payment.authorized' } as const;
  t.deepEqual(run([canceled, { ...authorized, at: noon - MINUTE }, settled]), []);
  t.is(run([{ ...authorized, at: noon - 2 * HOUR }, canceled, settled]).length, 1);
  t.deepEqual(run([settled, { ...failed, at: noon - HOUR }]), []);
  t.deepEqual(run([settled, { ...failed, at: noon }]), []);
});

test('two sources that report different authorizations disagree; one that raises its own, or hears of it later, does not', t => {
  const authorized = (usd: number, minutes: number, more = {}) =>
    ({ at: noon + minutes * MINUTE, type: 'payment.authorized', usd, ...more }) as const;
  const [finding, ...more] = run([authorized(9, 0), authorized(8.5, 1, psp)]);
  t.deepEqual(more, []);
  t.like(finding, { score: 65, subject: 'p', seqs: [1, 2], title: 'Two sources disagree on what {payee} may be paid' });
  t.regex(
    finding?.explanation ?? '',
    /“src_1” reported that it was authorized for \$9\.00 at 2026-11-20 12:00:00 UTC; “src_psp” reported that it was authorized for \$8\.50 at/,
  );
  t.is(run([authorized(8.5, 1, psp), authorized(9, 0)]).length, 1);
  t.is(run([authorized(9, 1), authorized(8.5, 0, psp)]).length, 1);
  t.deepEqual(run([authorized(9, 0), authorized(9.5, 1)]), []);
  t.deepEqual(run([authorized(9, 0), authorized(9.5, 1), authorized(9, 2, psp)]), []);
  t.deepEqual(run([authorized(9, 0), { ...settled, usd: 8 }]), []);
});

test('two sources that end with different words disagree, whichever spoke first', t => {
  for (const at of [noon - HOUR, noon]) {
    const [finding] = run([settled, { ...failed, ...psp, at }]);
    t.is(finding?.title, 'Two sources disagree on a payment to {payee}');
    t.regex(finding?.explanation ?? '', /“src_psp” reported that it failed/);
  }
  // The second try went through, and both say so in the end.
  const before = { ...failed, at: noon - HOUR };
  t.deepEqual(run([before, { ...before, ...psp }, settled, { ...settled, ...psp, at: noon + MINUTE }]), []);
});

test('settled for two amounts is a contradiction, and the same amount counted in cents is none', t => {
  const again = { ...settled, at: noon + HOUR };
  const [finding] = run([settled, { ...again, usd: 20 }]);
  t.is(finding?.title, 'A payment to {payee} was settled for two amounts');
  t.regex(finding?.explanation ?? '', /settled for \$25\.00 at .* settled for \$20\.00 at/);
  t.deepEqual(run([settled, again]), []);
  t.deepEqual(
    run([
      { ...settled, usd: 0.004 },
      { ...again, usd: 0 },
    ]),
    [],
  );
  t.deepEqual(
    run([
      { ...settled, price_key: 'USDC' },
      { ...again, price_key: 'USD' },
    ]),
    [],
  );
});

test('an authorization, a refund, or another payment contradicts nothing', t => {
  t.deepEqual(
    run([
      { ...settled, at: noon - HOUR, type: 'payment.authorized', usd: 30 },
      settled,
      { ...failed, type: 'payment.refunded' },
      { ...failed, payment_id: 'other' },
    ]),
    [],
  );
});

test('what is found in the end does not depend on the order of arrival', t => {
  const steps = [
    settled,
    { ...failed, ...psp },
    { ...settled, at: noon + HOUR, usd: 20 },
    { ...failed, at: noon - HOUR },
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(steps, { minLength: steps.length }), shuffled => {
      const last = run(shuffled).at(-1);
      t.is(last?.explanation, run(steps).at(-1)?.explanation);
      t.is(last?.title, run(steps).at(-1)?.title);
    }),
    { numRuns: 24 },
  );
});

test('two amounts never read as if they were one', t => {
  const again = { ...settled, at: noon + HOUR };
  const [close] = run([
    { ...settled, usd: 25.001 },
    { ...again, usd: 25.004 },
  ]);
  t.regex(close?.explanation ?? '', /settled for \$25\.001 at .* settled for \$25\.004 at/);
  const [foreign] = run([
    { ...settled, usd: null, price_key: '100 eip155:1/0xaa' },
    { ...again, usd: null, price_key: '200 eip155:1/0xaa' },
  ]);
  t.regex(foreign?.explanation ?? '', /settled for an amount for which no .* settled for another amount for which no/);
});

test('two sources may report one amount in two currencies; two amounts are told in theirs', t => {
  const dollars = { ...settled, usd: 100 };
  const inEuros = (usd: number, cents: number) => ({ ...psp, ...settled, usd, price_key: `${cents} EUR` });
  t.deepEqual(run([dollars, inEuros(101.2, 8908)]), []);
  t.is(run([dollars, { ...inEuros(101.2, 8908), source_id: 'src_1' }]).length, 1, 'one source settles it once');
  const token = {
    ...settled,
    ...psp,
    usd: 106,
    price_key: '100000000 eip155:8453/0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
  };
  t.deepEqual(run([{ ...settled, usd: 105, price_key: '10000 EUR' }, token]), []);
  const [finding] = run([dollars, inEuros(113.6, 10000)]);
  t.regex(finding?.explanation ?? '', /settled for \$100\.00 at .* settled for €100\.00 \(\$113\.60\) at/);
});
