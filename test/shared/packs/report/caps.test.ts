import test from 'ava';
import { HOUR, timestamp } from '#shared/values/time.ts';
import { reportOf } from '#test/helpers/pack_report.ts';
import {
  emptyPack,
  packAlert,
  packEvaluation,
  packEvent,
  packEvidence,
  packHeader,
  packMandate,
} from '#test/helpers/pack_world.ts';
import { blocks, figure, plain, rows } from '#test/helpers/report_text.ts';

const SEQS = Array.from({ length: 5_000 }, (_, index) => index + 1);

const report = reportOf({
  ...emptyPack(),
  events: SEQS.map(seq =>
    packEvent({
      seq,
      at: Date.parse('2026-03-01T00:00:00.000Z') + (seq % 700) * HOUR,
      payee: seq % 300,
      mandate_evaluation: { mandate_id: packMandate(1).id, result: seq === 4_000 ? 'breach' : 'compliant' },
    }),
  ),
  evidence: SEQS.map(seq => packEvidence(seq)),
  mandates: [packMandate(1)],
  evaluations: SEQS.map(seq => packEvaluation(seq, seq === 4_000 ? 'breach' : 'compliant')),
  alerts: SEQS.map(seq => packAlert(seq, [seq], { severity: seq === 4_000 ? 'critical' : 'low' })),
});

test('long tables show their first rows, and say how many more there are and where', t => {
  const [events] = blocks(report, 'events', 'table');
  t.is(events?.rows.length, 101);
  t.is(events?.more, '… 4,899 more: events.jsonl');
  t.is(blocks(report, 'evidence', 'table').at(-1)?.more, '… 4,900 more: evidence.jsonl');
  t.is(blocks(report, 'alerts', 'records')[0]?.more, '… 4,970 more: alerts.json');
  t.is(
    blocks(report, 'payments', 'bars').find(({ caption }) => caption === 'Spend by payee')?.more,
    '… 270 more: events.jsonl',
  );
});

test('what is wrong is shown however late it comes', t => {
  t.deepEqual(rows(report, 'events', /./).at(-1)?.slice(-1), ['breach']);
  t.is(rows(report, 'evaluations', /Breached/).length, 1);
  t.regex(plain(blocks(report, 'alerts', 'records')[0]?.records[0]?.title ?? ''), /^critical/);
});

test('every number is of all events, however few are shown', t => {
  t.is(figure(report, 'Spend').value, '$5,000.00');
  t.like(figure(report, 'Evidence'), { value: '5,000 pieces', events: '#1, #2, #3, #4 and 4,996 more: events.jsonl' });
  t.is(figure(report, 'Alerts').value, '5,000');
});

test('the timeline of many payments tells what was found, and leaves the payments to their list', t => {
  const [timeline] = blocks(report, 'timeline', 'timeline');
  t.is(timeline?.items.length, 100);
  t.true(timeline?.items.every(({ text }) => !plain(text).includes('payment settled')));
  t.is(timeline?.more, '… 4,901 more: evaluations.json, verifications.json, alerts.json, case.json');
});

test('a chart of a long time has columns of weeks or months', t => {
  const unitOver = (days: number) => {
    const last = Date.parse('2026-03-01T00:00:00.000Z') + days * 24 * HOUR;
    const events = [packEvent({ seq: 1, at: Date.parse('2026-03-01T00:00:00.000Z') }), packEvent({ seq: 2, at: last })];
    const [series] = blocks(reportOf({ ...emptyPack(packHeader()), events }), 'payments', 'series');
    return [series?.unit, series?.points.length, series?.points.at(-1)?.label];
  };
  t.deepEqual(unitOver(0), ['Day (UTC)', 1, '2026-03-01']);
  t.deepEqual(unitOver(91), ['Day (UTC)', 92, '2026-05-31']);
  t.deepEqual(unitOver(92), ['Week from (UTC)', 15, '2026-06-01']);
  t.deepEqual(unitOver(1_000), ['Month (UTC)', 33, '2028-11']);
  t.deepEqual(unitOver(10_000), [
    'Year (UTC)',
    28,
    timestamp(Date.parse('2026-03-01') + 10_000 * 24 * HOUR).slice(0, 4),
  ]);
});
