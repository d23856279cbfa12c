import type { Event } from '#shared/events/log/events.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { keyText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Paid, Time } from '#api/dashboard/browser/parts/values.tsx';
import { shownName } from '#shared/values/shown_name.ts';

/** An event in a row. On a phone: when, how much, whom; and of the rest only what went wrong. */
export const eventColumns: Column<Event>[] = [
  {
    name: 'Time',
    show: event => (
      <>
        <a href={`/events/${event.id}`}>
          <Time at={event.occurred_at} row />
        </a>
        <Trouble event={event} />
      </>
    ),
  },
  { name: 'Payment', align: 'end', show: ({ payment }) => <Paid payment={payment} /> },
  {
    name: 'Payee',
    show: event => <Payee event={event} />,
  },
  {
    name: 'Agent',
    from: 'middle',
    show: ({ agent_id }) => <AgentName id={agent_id} />,
  },
  { name: 'Rail', from: 'wide', show: ({ payment }) => wordsOf(payment.rail) },
  { name: 'Status', from: 'middle', show: ({ payment }) => <Badge of={payment.status} /> },
  {
    name: 'Verification',
    from: 'middle',
    show: ({ verification }) => verification && <Badge of={verification.result} title={wordsOf(verification.kind)} />,
  },
  {
    name: 'Mandate',
    from: 'middle',
    show: ({ mandate_evaluation }) => mandate_evaluation && <Badge of={mandate_evaluation.result} />,
  },
];

function Payee({ event: { payee_id, payment } }: { event: Event }) {
  const name = shownName(payment.payee.name) ?? keyText(payment.payee.key);
  return (
    <span class="payee-cell" title={payment.payee.key}>
      {payee_id ? <a href={`/payees/${payee_id}`}>{name}</a> : name}
      <small class="quiet only-narrow">{wordsOf(payment.status)}</small>
    </span>
  );
}

/** Where the columns for it are hidden. */
function Trouble({ event: { payment, verification, mandate_evaluation } }: { event: Event }) {
  const words = [
    ['failed', 'disputed', 'refunded', 'partially_refunded'].includes(payment.status) && (
      <Badge key="status" of={payment.status} label={`Payment ${payment.status.replaceAll('_', ' ')}`} />
    ),
    verification && verification.result !== 'verified' && (
      <Badge key="verification" of={verification.result} label={`Evidence ${verification.result}`} />
    ),
    mandate_evaluation && mandate_evaluation.result !== 'compliant' && (
      <Badge key="mandate" of={mandate_evaluation.result} label={`Mandate ${mandate_evaluation.result}`} />
    ),
  ].filter(Boolean);
  return words.length > 0 ? <span class="only-narrow trouble">{words}</span> : null;
}
