import test from 'ava';
import type { Alert } from '#shared/casework/alerts.ts';
import { reportOf } from '#bin/demo/report.ts';

const alert = (id: string, detector: string, score: number) =>
  ({ id, detector, score, severity: 'high', title: `${detector} ${score}` }) as Alert;

const label = { scenario: 'a', variant: 'b', agents: [{ name: 'Buyer' }] };
const run = {
  events: 100,
  seconds: 2,
  webhooks: { verified: 3, refused: 0 },
  verdicts: { verification: { verified: 1 }, mandate_evaluation: { compliant: 1 } },
};

const report = (alerts: Alert[][], all = false) =>
  reportOf(
    {
      answers: alerts.map(found => ({ label, alerts: found, joined: false })),
      found: alerts.length,
      missed: 0,
      joined: 0,
      false_alarms: [],
      while_learning: [],
      normal_events: 90,
      false_alarms_per_10000: 0,
    } as never,
    run as never,
    process.stdout,
    all,
  );

test('the demo shows the gravest alert of each detector, the gravest first', t => {
  const loop = alert('alr_1', 'runaway_loop', 94);
  const text = report([[alert('alr_2', 'runaway_loop', 80), loop], [alert('alr_3', 'lookalike_wallet', 95)], [loop]]);
  const lines = text.split('\n').map(each => each.trim());
  const at = lines.findIndex(each => each.startsWith('3 alerts, among them'));
  t.deepEqual(
    lines.slice(at + 1, at + 4).map(each => each.split(/ {2,}/).at(-1)),
    ['lookalike_wallet 95', 'runaway_loop 94', ''],
  );
  t.false(report([[loop]], true).includes('among them'), 'all are listed');
  t.false(report([]).includes('among them'));
});
