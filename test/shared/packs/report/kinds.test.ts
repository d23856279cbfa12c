import test from 'ava';
import { packKinds } from '#shared/packs/pack_files.ts';
import { reportHtml } from '#shared/packs/report/html.ts';
import { reportPdf } from '#shared/packs/report/pdf.ts';
import { reportOf } from '#test/helpers/pack_report.ts';
import { emptyPack, packHeader, packId } from '#test/helpers/pack_world.ts';
import { fullPack } from '#test/helpers/full_pack.ts';
import { figure, plain } from '#test/helpers/report_text.ts';
import { readPdf } from '#test/helpers/pdf.ts';

const dwelledOn = {
  evidence_pack: ['events', 'case'],
  agent_activity_report: ['payments', 'payments'],
  mandate_compliance_report: ['breaches', 'evaluations'],
  screening_report: ['screenings', 'screenings'],
  alert_report: ['alerts', 'alerts'],
} as const;

const labels = {
  events: 'Events',
  payments: 'Payments',
  breaches: 'Mandate breaches',
  screenings: 'Screening matches',
  alerts: 'Alerts',
};

for (const kind of packKinds)
  test(`${kind} begins with what it is about, and ends with how to check it and what it does not prove`, async t => {
    const report = reportOf(fullPack(kind));
    const [first_figure, first_section] = dwelledOn[kind];
    t.is(report.figures[0]?.label, labels[first_figure]);
    t.is(report.sections[0]?.id, first_section);
    t.deepEqual(
      report.sections.slice(-2).map(({ id }) => id),
      ['check', 'limits'],
    );
    for (const { title } of report.sections) t.true(reportHtml(report).includes(`>${title}</h2>`), title);
    t.regex(readPdf(await reportPdf(report)).metadata, /<pdfaid:part>2</);
  });

test('the cover says whose pack it is, what it is about, what is redacted, and by which checkpoint it is proven', t => {
  const { facts } = reportOf(fullPack('evidence_pack', { redact: ['psp.webhook'] }));
  const said = Object.fromEntries(facts.map(({ label, text }) => [label, plain(text)]));
  t.like(said, {
    Organization: `Acme Travel GmbH ${packId('org', 1)}`,
    Environment: 'sandbox',
    Events: '9 events, from #1 to #9 of the log',
    Pack: packId('pck', 1),
    Created: `2026-04-11 09:00:00.000, requested by ${packId('usr', 1)}`,
    Checkpoint: `12,345 events, root ${'beef'.repeat(16)}`,
    Redacted: 'the values of evidence of these kinds: psp.webhook',
  });
  t.regex(
    said['About'] ?? '',
    /^the events of the agent agt_\w+ that occurred from 2026-03-02 09:00:00.000 until before/,
  );
});

test('every way to ask for a pack is said in words', t => {
  const about = (scope: Record<string, unknown>) => {
    const { facts } = reportOf(emptyPack(packHeader('evidence_pack', { scope })));
    return plain(facts.find(({ label }) => label === 'About')?.text ?? '');
  };
  t.is(about({ case_id: packId('cas', 7) }), `the events of the case ${packId('cas', 7)} and of its alerts`);
  t.is(about({ payment_id: 'order\u202E-1' }), 'every event of the payment order[U+202E]-1');
  t.is(about({ event_ids: ['a', 'b'] }), '2 events: a, b');
  t.is(about({ alert_ids: ['a', 'b', 'c', 'd', 'e'] }), 'the events of 5 alerts: a, b, c and 2 more');
});

test('a pack about nothing is a report all the same', async t => {
  const report = reportOf(emptyPack());
  t.is(figure(report, 'Spend').value, '$0.00');
  t.regex(reportHtml(report), /No alert names one of these events/);
  t.is(readPdf(await reportPdf(report)).acts, false);
});
