import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { every, HOUR, noon, play, type EventStep } from '#test/helpers/play.ts';

const run = (steps: EventStep[], params = {}) => play(steps, 'country_change', { params });
const known = (count: number, country: string | null = 'DE') =>
  every(HOUR, count, noon - (count + 1) * HOUR, { payee_country: country });
const abroad: EventStep = { at: noon, payee_id: 'pye_abroad', payee_country: 'BR' };

test('a country is new for an agent that has made 20 payments, all to others', t => {
  const [finding, ...more] = run([...known(20), abroad, { ...abroad, at: noon + HOUR }]);
  t.deepEqual(more, []);
  t.like(finding, {
    score: 50,
    subject: 'BR',
    seqs: [21],
    title: 'Payment to {payee} in a new country: Brazil',
  });
  t.regex(
    finding?.explanation ?? '',
    /has paid to Germany so far \(20 earlier payments compared\).* from 20 payments on/,
  );
  t.deepEqual(run([...known(19), abroad]), []);
  t.is(run([...known(19), abroad], { least_payments: 19 }).length, 1);
});

test('payments that failed, or that were only asked for, count neither as earlier ones nor as one to a new country', t => {
  for (const type of ['payment.failed', 'payment.requested'] as const) {
    t.deepEqual(run([...known(20), { ...abroad, type }]), []);
    t.deepEqual(run([...known(20).map(step => ({ ...step, type })), abroad]), []);
  }
});

test('when a source begins to say where payees are, no country is new', t => {
  t.deepEqual(run([...known(30, null), abroad]), []);
  t.deepEqual(run([...known(30, null), ...every(HOUR, 5, noon - 5 * HOUR, { payee_country: 'DE' }), abroad]), []);
});

test('a payment is told of once, at its first report that counts or that names another country', t => {
  const payment = { ...abroad, payment_id: 'p', type: 'payment.authorized' } as const;
  const settled = { ...payment, at: noon + HOUR, type: 'payment.settled' } as const;
  for (const country of ['BR', 'IR']) {
    const seqs = (...steps: EventStep[]) => run([...known(20), ...steps]).map(({ seq }) => seq);
    t.deepEqual(seqs({ ...payment, payee_country: country }, { ...settled, payee_country: country }), [21]);
    t.deepEqual(seqs({ ...payment, payee_country: 'DE' }, { ...settled, payee_country: country }), [22]);
  }
});

test('every payment to a country of high risk is told of, the first one and those to follow', t => {
  const findings = run([
    { at: noon, payee_country: 'IR' },
    { at: noon + HOUR, payee_country: 'IR' },
  ]);
  t.deepEqual(
    findings.map(({ score, subject }) => [score, subject]),
    [
      [85, 'IR'],
      [85, 'IR'],
    ],
  );
  t.is(findings[0]?.title, 'Payment to {payee} in high-risk country Iran');
  t.deepEqual(run([{ at: noon, payee_country: 'IR' }], { high_risk_countries: ['KP'] }), []);
});

const subjects = (steps: EventStep[]) => run(steps).map(({ subject }) => subject);

test('an agent that pays to new countries all the time is not told about at every further one', t => {
  const travels = ['DE', 'FR', 'GB', 'PT', 'SE', 'NL', 'IT', 'ES'].map((payee_country, index) => ({
    at: noon - (8 - index) * 4 * HOUR,
    payee_country,
  }));
  t.false(subjects([...known(60), ...travels, abroad]).includes('BR'));
  t.true(subjects([...known(60), ...travels.slice(0, 3), abroad]).includes('BR'));
  t.false(subjects([...known(15), ...travels.slice(0, 5), abroad]).includes('BR'));
  t.is(run([...known(60), ...travels, { ...abroad, payee_country: 'KP' }]).at(-1)?.score, 85);
});

test('the country of a payee that other agents have paid for a week is no news for one more agent', t => {
  const others = { payee_id: 'pye_abroad', payee_country: 'BR', agent_id: 'agt_2' };
  const before = (days: number): EventStep[] => [{ ...others, at: noon - days * DAY }, ...known(20), abroad];
  t.deepEqual(run(before(8)), []);
  t.is(run(before(6)).length, 1);
  // A payee that the agent itself knows and that is somewhere else now is news.
  t.is(run([{ ...abroad, at: noon - 8 * DAY, payee_country: 'DE' }, ...known(20), abroad]).length, 1);
});
