import type { PackAlert } from '#shared/packs/pack_files.ts';
import { createKept } from '#shared/packs/report/kept.ts';
import type { PackReferences } from '#shared/packs/report/references.ts';
import { LONGEST_TEXT, MOST_ROWS, MOST_TALL, MOST_WITHIN } from '#shared/packs/report/limits.ts';
import { outside } from '#shared/packs/report/outside.ts';
import { addRef, noRefs, refs, refsText } from '#shared/packs/report/refs.ts';
import type {
  ReportBlock,
  ReportRecord,
  Figure,
  ReportSection,
  TextSpan,
  ReportTable,
} from '#shared/packs/report/report.ts';
import { severityVerdict } from '#shared/packs/report/verdicts.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { actor, code, columnsOf, counted, grouped, moreIn, time } from '#shared/packs/report/words.ts';

/** The alerts about these events: the most severe first, with why they were raised and what people did about them. */
export type AlertsPart = { add(alert: PackAlert): void; section(): ReportSection; figure(): Figure };

const severities = ['critical', 'high', 'medium', 'low'] as const;
const states = ['open', 'acknowledged', 'escalated', 'resolved', 'dismissed'] as const;

export function createAlertsPart(references: PackReferences): AlertsPart {
  const entries = {
    critical: createKept<ReportRecord>(MOST_TALL),
    high: createKept<ReportRecord>(MOST_TALL),
    medium: createKept<ReportRecord>(MOST_TALL),
    low: createKept<ReportRecord>(MOST_TALL),
  };
  const by_detector = new Map<string, number>();
  const by_state = new Map<string, number>();
  const event_seqs = new Set<number>();
  let count = 0;
  const blocks = (): ReportBlock[] => {
    const all = severities.flatMap(severity => entries[severity].items());
    return [
      {
        type: 'note',
        text: 'From alerts.json: what the service’s detectors raised, as it stood when the pack was made. A score from 0 to 100 says how unusual the finding is. It is not proof.',
      },
      severityTable(by_state),
      detectorTable(by_detector),
      { type: 'records', records: all.slice(0, MOST_TALL), more: moreIn(count - MOST_TALL, 'alerts.json') },
    ];
  };
  return {
    add(alert) {
      count += 1;
      add(by_detector, alert.detector);
      add(by_state, `${alert.severity} ${alert.state}`);
      const seqs = references.seqsOf(eventsOf(alert));
      for (const seq of seqs) event_seqs.add(seq);
      entries[alert.severity].add(() => entryOf(alert, references));
    },
    section: () => ({
      id: 'alerts',
      title: 'Alerts',
      blocks: count === 0 ? [{ type: 'paragraph', text: 'No alert names one of these events.' }] : blocks(),
    }),
    figure: () => {
      const grave = sumOf(by_state, ['critical', 'high'], states);
      const events = noRefs();
      for (const seq of event_seqs) addRef(events, seq);
      return {
        label: 'Alerts',
        value: grouped(count),
        tone: grave > 0 ? 'bad' : null,
        rule: `alerts.json: alerts that name one of these events; ${grouped(grave)} of them high or critical, ${grouped(sumOf(by_state, severities, ['open', 'acknowledged', 'escalated']))} not closed.`,
        events: event_seqs.size > 0 ? refsText(events) : '',
      };
    },
  };
}

const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

const sumOf = (by_state: Map<string, number>, of: readonly string[], having: readonly string[]): number =>
  of.flatMap(severity => having.map(state => by_state.get(`${severity} ${state}`) ?? 0)).reduce((a, b) => a + b, 0);

const severityTable = (by_state: Map<string, number>): ReportTable => ({
  type: 'table',
  caption: 'Alerts by severity and state',
  columns: [
    { title: 'Severity', width: 4, align: 'start' },
    ...states.map(state => ({
      title: `${state.slice(0, 1).toUpperCase()}${state.slice(1)}`,
      width: 3,
      align: 'end' as const,
    })),
  ],
  rows: severities
    .filter(severity => sumOf(by_state, [severity], states) > 0)
    .map(severity => ({
      seq: null,
      cells: [severityVerdict(severity), ...states.map(state => grouped(by_state.get(`${severity} ${state}`) ?? 0))],
    })),
  more: null,
});

const detectorTable = (by_detector: Map<string, number>): ReportTable => ({
  type: 'table',
  caption: 'Alerts by detector',
  columns: columnsOf({ Detector: 4, '#Alerts': 2 }),
  rows: [...by_detector]
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MOST_ROWS)
    .map(([detector, alerts]) => ({ seq: null, cells: [code(detector), grouped(alerts)] })),
  more: null,
});

/** The events it names, and those that its explanation is about. */
const eventsOf = ({ event_ids, evidence }: PackAlert) => [...new Set([...event_ids, ...evidence.event_ids])];

function entryOf(alert: PackAlert, references: PackReferences): ReportRecord {
  const { id, severity, title, explanation, detector, score, state, agent_id, case_id, created_at, actions } = alert;
  const { payments, settled, spend_usd_micro, event_ids } = alert.evidence;
  const spend = spend_usd_micro === '0' ? '' : `, ${formatUsdMicro(BigInt(spend_usd_micro))} together`;
  const others = alert.event_ids.filter(event_id => !event_ids.includes(event_id));
  return {
    title: [severityVerdict(severity), ' ', outside(title, LONGEST_TEXT)],
    facts: [
      { label: 'Alert', text: code(id) },
      { label: 'State', text: state },
      { label: 'Detector', text: [code(detector), `, score ${String(score)}`] },
      { label: 'Raised', text: time(created_at) },
      { label: 'Agent', text: references.agent(agent_id) },
      {
        label: 'Payments',
        text: `${counted(payments, 'payment')}, ${grouped(settled)} settled${spend}, as of when the alert was raised`,
      },
      { label: 'Events', text: eventsText(event_ids, references) },
      ...(others.length === 0 ? [] : [{ label: 'Also linked', text: eventsText(others, references) }]),
      ...(case_id === null ? [] : [{ label: 'Case', text: code(case_id) }]),
    ],
    paragraphs: [outside(explanation, LONGEST_TEXT)],
    table: null,
    list:
      actions.length === 0
        ? null
        : {
            title: 'History',
            items: actions.slice(0, MOST_WITHIN).map(action => [time(action.at), ' ', ...actionText(action, ['it'])]),
            more: moreIn(actions.length - MOST_WITHIN, 'alerts.json'),
          },
  };
}

function eventsText(event_ids: readonly string[], references: PackReferences): TextSpan[] {
  const seqs = references.seqsOf(event_ids);
  const elsewhere = event_ids.length - seqs.length;
  return [refs(seqs), elsewhere > 0 ? ` (${counted(elsewhere, 'event')} outside this pack)` : ''];
}

/** Who did what to an alert, and why. */
export const actionText = (
  { action, reason, actor_id }: PackAlert['actions'][number],
  alert: readonly TextSpan[],
): TextSpan[] => [
  actor(actor_id, 'The system'),
  ` ${done[action]} `,
  ...alert,
  ...(reason === null ? [] : [': ', outside(reason, LONGEST_TEXT)]),
];

const done = {
  acknowledge: 'acknowledged',
  escalate: 'escalated',
  resolve: 'resolved',
  dismiss: 'dismissed',
  reopen: 'reopened',
  comment: 'commented on',
};
