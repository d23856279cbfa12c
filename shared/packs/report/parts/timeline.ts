import type {
  PackAlert,
  PackCase,
  PackEvaluation,
  PackEvent,
  PackScreening,
  PackVerification,
} from '#shared/packs/pack_files.ts';
import { payeeText, type PackReferences } from '#shared/packs/report/references.ts';
import { createEarliest } from '#shared/packs/report/kept.ts';
import { LONGEST_NAME, MOST_ROWS } from '#shared/packs/report/limits.ts';
import { amountText } from '#shared/packs/report/money.ts';
import { outside } from '#shared/packs/report/outside.ts';
import { refs } from '#shared/packs/report/refs.ts';
import type { ReportSection, Text } from '#shared/packs/report/report.ts';
import { mandateVerdict, severityVerdict, verificationVerdict } from '#shared/packs/report/verdicts.ts';
import { actor, code, grouped, moreIn, spoken, time } from '#shared/packs/report/words.ts';
import { actionText } from './alerts.ts';
import { entryText } from './case.ts';

/** The most payment events listed one by one; beyond that, the list of events has them. */
const MOST_EVENTS = 50;

type Item = { at: string; text: Text };

/** What happened, in order of time: payments, failed checks, alerts, and what people did. */
export type TimelinePart = {
  event(event: PackEvent): void;
  verification(run: PackVerification): void;
  evaluation(evaluation: PackEvaluation): void;
  alert(alert: PackAlert): void;
  screening(screening: PackScreening): void;
  case(record: PackCase): void;
  section(): ReportSection;
};

export function createTimelinePart(references: PackReferences): TimelinePart {
  const events = createEarliest<Item>(MOST_EVENTS);
  const others = createEarliest<Item>(MOST_ROWS);
  return {
    event(event) {
      if (events.count() <= MOST_EVENTS) events.add({ at: event.occurred_at, text: eventText(event) });
    },
    verification({ superseded, result, chain_seq, kind, at }) {
      if (superseded || result !== 'failed') return;
      others.add({
        at,
        text: ['Verification ', code(kind), ' of ', refs([chain_seq]), ' ', verificationVerdict(result)],
      });
    },
    evaluation({ superseded, result, chain_seq, mandate_id, at }) {
      if (superseded || result !== 'breach') return;
      others.add({ at, text: [refs([chain_seq]), ' against mandate ', code(mandate_id), ' ', mandateVerdict(result)] });
    },
    alert(alert) {
      for (const item of alertItems(alert, references)) others.add(item);
    },
    screening(screening) {
      for (const item of screeningItems(screening)) others.add(item);
    },
    case({ timeline }) {
      for (const entry of timeline) others.add({ at: entry.at, text: entryText(entry) });
    },
    section() {
      const all = events.count() <= MOST_EVENTS;
      const items = createEarliest<Item>(MOST_EVENTS + MOST_ROWS);
      for (const item of [...(all ? events.items() : []), ...others.items()]) items.add(item);
      const count = others.count() + (all ? events.count() : 0);
      return {
        id: 'timeline',
        title: 'Timeline',
        blocks: [
          {
            type: 'note',
            text: all
              ? 'Payment events by the time they occurred; everything else by the time it was recorded here.'
              : `Findings and actions on these payments, by the time they were recorded here. The events themselves are more than ${grouped(MOST_EVENTS)} and stand under Events.`,
          },
          count === 0
            ? { type: 'paragraph', text: 'None' }
            : {
                type: 'timeline',
                caption: 'Timeline, oldest first',
                items: items.items().map(({ at, text }) => ({ at: time(at), text })),
                more: moreIn(
                  count - items.items().length,
                  'evaluations.json, verifications.json, alerts.json, case.json',
                ),
              },
        ],
      };
    },
  };
}

const eventText = ({ chain_seq, type, payment }: PackEvent): Text => [
  refs([chain_seq]),
  ` payment ${spoken(type.replace('payment.', ''))}, `,
  outside(amountText(payment.amount)),
  ` by ${payment.rail} to `,
  ...payeeText(payment.payee.name, payment.payee.key),
];

const alertItems = (
  { id, title, severity, event_ids, created_at, actions }: PackAlert,
  references: PackReferences,
): Item[] => [
  {
    at: created_at,
    text: [
      'Alert ',
      severityVerdict(severity),
      ' raised: ',
      outside(title, LONGEST_NAME),
      ' ',
      refs(references.seqsOf(event_ids)),
    ],
  },
  ...actions.map(action => ({ at: action.at, text: actionText(action, ['alert ', code(id)]) })),
];

function screeningItems({ id, matches, query, created_at, decision, reviewed_at, reviewed_by }: PackScreening): Item[] {
  const name = outside(query.name ?? query.key ?? 'no name');
  const items: Item[] =
    matches.length === 0
      ? []
      : [
          {
            at: created_at,
            text: ['Screening ', code(id), ` of `, name, ` found ${grouped(matches.length)} list matches`],
          },
        ];
  if (decision === null || reviewed_at === null) return items;
  const decided: Text = [actor(reviewed_by, 'The system'), ` decided ${spoken(decision)} on screening `, code(id)];
  return [...items, { at: reviewed_at, text: decided }];
}
