import type { PackHeader, PackKind } from '#shared/packs/pack_files.ts';
import { LONGEST_TEXT } from './limits.ts';
import { outside } from './outside.ts';
import type { ReportFact, TextSpan, Text } from './report.ts';
import { actor, code, counted, grouped, joined, time } from './words.ts';

export const kindNames: Record<PackKind, string> = {
  evidence_pack: 'Evidence pack',
  agent_activity_report: 'Agent activity report',
  mandate_compliance_report: 'Mandate compliance report',
  screening_report: 'Screening report',
  alert_report: 'Alert report',
};

/** The part of the log that a pack's events come from. */
export type Covered = { first_seq: number; last_seq: number; from: string; to: string };

/** The facts of the first page: who it belongs to, what it is about, and what to check it by. */
export function coverFacts(
  { pack, organization, environment, log }: PackHeader,
  events: number,
  covered: Covered | null,
  not_analyzed: number,
): ReportFact[] {
  return [
    { label: 'Organization', text: [outside(organization.name), ' ', code(organization.id)] },
    { label: 'Environment', text: environment },
    { label: 'About', text: scopeText(pack.scope) },
    {
      label: 'Period covered',
      text: covered ? [time(covered.from), ' to ', time(covered.to), ' (first and last event)'] : 'no events',
    },
    {
      label: 'Events',
      text: covered
        ? `${counted(events, 'event')}, from #${covered.first_seq} to #${covered.last_seq} of the log`
        : 'none',
    },
    { label: 'Pack', text: code(pack.id) },
    {
      label: 'Created',
      text: [time(pack.created_at), ', requested by ', actor(pack.created_by)],
    },
    { label: 'Log', text: outside(log.origin) },
    { label: 'Checkpoint', text: [`${grouped(log.size)} events, root `, code(log.root_hash)] },
    { label: 'Analysis', text: analysisText(log.analyzed_seq, not_analyzed) },
    { label: 'Redacted', text: redactText(pack.redact) },
    { label: 'Times', text: 'All times are UTC.' },
  ];
}

const analysisText = (analyzed_seq: number, not_analyzed: number): Text =>
  not_analyzed === 0
    ? `every event was analyzed when this was made`
    : {
        verdict: `${counted(not_analyzed, 'event')} after #${analyzed_seq} not analyzed yet when this was made: that no verdict, alert or screening of them is here says nothing`,
        tone: 'open',
      };

const redactText = (kinds: readonly string[]): Text =>
  kinds.length === 0
    ? 'nothing'
    : [
        'the values of evidence of these kinds: ',
        ...joined(
          kinds.map(kind => outside(kind)),
          ', ',
        ),
      ];

/** The scope of a pack in words. `scope` is as in the API; one of another shape is shown unchanged. */
function scopeText({
  case_id,
  alert_ids,
  event_ids,
  payment_id,
  agent_id,
  from,
  to,
  ...rest
}: Record<string, unknown>): Text {
  if (typeof case_id === 'string') return ['the events of the case ', code(case_id), ' and of its alerts'];
  if (Array.isArray(alert_ids)) return ['the events of ', ...idSpans(alert_ids, 'alert')];
  if (Array.isArray(event_ids)) return idSpans(event_ids, 'event');
  if (typeof payment_id === 'string') return ['every event of the payment ', outside(payment_id)];
  if (typeof agent_id === 'string' && typeof from === 'string' && typeof to === 'string')
    return ['the events of the agent ', code(agent_id), ' that occurred from ', time(from), ' until before ', time(to)];
  return outside(JSON.stringify(rest), LONGEST_TEXT);
}

/** How many ids, and the first of them. */
function idSpans(ids: readonly unknown[], one: string): TextSpan[] {
  const first = ids.slice(0, MOST_NAMED).flatMap((id, index) => [index === 0 ? ': ' : ', ', code(String(id))]);
  return [
    counted(ids.length, one),
    ...first,
    ids.length > MOST_NAMED ? ` and ${grouped(ids.length - MOST_NAMED)} more` : '',
  ];
}

const MOST_NAMED = 3;
