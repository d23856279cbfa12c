import test from 'ava';
import type { ReportRecord } from '#shared/packs/report/report.ts';
import { fullPack } from '#test/helpers/full_pack.ts';
import { reportOf } from '#test/helpers/pack_report.ts';
import { packId } from '#test/helpers/pack_world.ts';
import { blocks, figure, plain, rows } from '#test/helpers/report_text.ts';

const report = reportOf(fullPack());
const entries = (section: string) => blocks(report, section, 'records').flatMap(({ records }) => records);
const factsOf = ({ facts }: ReportRecord) => Object.fromEntries(facts.map(({ label, text }) => [label, plain(text)]));

test('verifications that did not hold are told check by check, and earlier runs are not counted', t => {
  t.like(figure(report, 'Verifications'), { value: '1 failed', events: '#3' });
  t.deepEqual(rows(report, 'verifications', /by kind/), [['x402_authorization', '1', '1', '1', '#3, #4, #5']]);
  t.deepEqual(
    entries('verifications').map(({ title }) => plain(title)),
    ['#3 x402_authorization failed', '#4 x402_authorization inconclusive'],
  );
  const [failed] = entries('verifications');
  t.deepEqual(
    failed?.table?.rows.map(({ cells }) => cells.map(plain)),
    [
      ['signature', 'pass', ''],
      ['payee', 'fail', 'payee_mismatch authorized to A, the event says B'],
    ],
  );
});

test('what breaks a mandate is listed with what was observed and what is allowed', t => {
  t.like(figure(report, 'Mandate breaches'), { value: '1', events: '#5' });
  t.deepEqual(rows(report, 'evaluations', /Breached/), [
    [
      `#5 ${packId('evt', 5)}`,
      `Travel bookings ${packId('mnd', 1)}, version 1`,
      'payment.amount_range amount_above_max the payment is $649.00; at most $500.00 is allowed',
      '$649.00',
      '$500.00',
    ],
  ]);
  t.is(rows(report, 'evaluations', /Unresolved/).length, 1);
  t.deepEqual(
    rows(report, 'evaluations', /compliant/).map(([event, , kept]) => [event, kept]),
    [[`#6 ${packId('evt', 6)}`, 'payment.amount_range $1.00 of $500.00; payment.budget $1,200.00 of $2,000.00']],
  );
});

test('a mandate says in words what it allows', t => {
  const [mandate] = entries('mandates');
  t.deepEqual(mandate?.list?.items.map(plain), [
    'at most $500.00 per payment',
    'at most $2,000.00 in a calendar day (Europe/Berlin)',
  ]);
});

test('the gravest alert comes first, with why it was raised and what people did about it', t => {
  t.like(figure(report, 'Alerts'), { value: '2', events: '#7' });
  const [first] = entries('alerts');
  t.is(first && plain(first.title), 'critical Hotel 1 was paid twice within 10 min');
  t.like(first && factsOf(first), {
    State: 'dismissed',
    Payments: '2 payments, 2 settled, $96.00 together, as of when the alert was raised',
    Events: '#7 (1 event outside this pack)',
  });
  t.deepEqual(first?.list?.items.map(plain), [
    `2026-03-03 10:00:00.000 ${packId('usr', 1)} commented on it: Asked the team.`,
    `2026-03-03 10:00:00.000 ${packId('usr', 1)} dismissed it: It was a rebooking.`,
  ]);
});

test('a screening says what matched, how well, what was decided and where the payee was paid', t => {
  const [screening] = entries('screenings');
  t.like(screening && factsOf(screening), {
    Score: '0.9312, where 0.85 counts',
    Decision: `false positive at 2026-03-03 10:00:00.000 by ${packId('usr', 1)}: Another line of business.`,
    'Paid in': '#1, #3, #5, #7 and 1 more: events.jsonl',
  });
  t.deepEqual(
    screening?.table?.rows.map(({ cells }) => cells.map(plain)),
    [['ofac 12001', 'SEEBLICK TRADING LLC', '0.9312', 'name', 'SDGT, AE', 'false positive']],
  );
  t.is(figure(report, 'Screening matches').value, '0');
});

test('evidence is listed with its hash, also where it is withheld', t => {
  t.regex(figure(report, 'Evidence').rule, /1 of them withheld/);
  t.deepEqual(
    rows(report, 'evidence', /^2 pieces/).map(([event, , kind, sha256, state]) => [event, kind, sha256, state]),
    [
      [`#3 ${packId('evt', 3)}`, 'x402.payment_payload', '0005'.repeat(16), 'in the pack'],
      [`#4 ${packId('evt', 4)}`, 'psp.webhook', '0006'.repeat(16), 'redacted'],
    ],
  );
});

test('the timeline puts payments, findings and what people did in order of time', t => {
  const [timeline] = blocks(report, 'timeline', 'timeline');
  const times = timeline?.items.map(({ at }) => at.time) ?? [];
  t.deepEqual(times, times.toSorted());
  const told = timeline?.items.map(({ text }) => plain(text)) ?? [];
  t.true(told.includes('#1 payment settled, $1.00 by card to Hotel 1 domain:hotel-1.example.com'));
  t.true(told.includes(`#5 against mandate ${packId('mnd', 1)} breach`));
  t.true(told.includes(`${packId('usr', 1)} set the case from open to closed: The money came back.`));
});
