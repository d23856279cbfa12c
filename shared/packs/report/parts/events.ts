import type { PackEvent } from '#shared/packs/pack_files.ts';
import type { Covered } from '#shared/packs/report/cover.ts';
import { payeeText } from '#shared/packs/report/references.ts';
import { createKept } from '#shared/packs/report/kept.ts';
import { MOST_ROWS } from '#shared/packs/report/limits.ts';
import { amountText, exactUsd } from '#shared/packs/report/money.ts';
import { outside } from '#shared/packs/report/outside.ts';
import { addRef, noRefs, refsText } from '#shared/packs/report/refs.ts';
import type { Figure, ReportSection, ReportTable, Text, VerdictText } from '#shared/packs/report/report.ts';
import { mandateVerdict, verificationVerdict } from '#shared/packs/report/verdicts.ts';
import { code, columnsOf, counted, grouped, moreIn, spoken, time } from '#shared/packs/report/words.ts';

/** The events themselves: the first of them, and of the rest those with a problem. */
export type EventsPart = {
  add(event: PackEvent): void;
  /** The first and the last, by position in the log and by time; null while there are none. */
  span(): Covered | null;
  count(): number;
  section(): ReportSection;
  figure(): Figure;
};

export function createEventsPart(): EventsPart {
  const first = createKept<Row>(MOST_ROWS);
  const remarkable = createKept<Row>(MOST_ROWS);
  const events = noRefs();
  let span: Covered | null = null;
  const rows = () => [...first.items(), ...remarkable.items()];
  return {
    add(event) {
      const { chain_seq, occurred_at } = event;
      addRef(events, chain_seq);
      span ??= { first_seq: chain_seq, last_seq: chain_seq, from: occurred_at, to: occurred_at };
      span.last_seq = chain_seq;
      if (occurred_at < span.from) span.from = occurred_at;
      if (occurred_at > span.to) span.to = occurred_at;
      if (first.count() < MOST_ROWS) first.add(() => rowOf(event));
      else if (isRemarkable(event)) remarkable.add(() => rowOf(event));
    },
    span: () => span,
    count: () => events.count,
    section: () => ({
      id: 'events',
      title: 'Events',
      blocks: [
        {
          type: 'note',
          text:
            'The events as they were reported, in the order of the log, from events.jsonl. #n is an event’s place in the log (chain_seq). ' +
            `Shown are the first ${grouped(MOST_ROWS)}, and of the others as many again that have a verification other than “verified”, or are other than “compliant” with a mandate.`,
        },
        tableOf(rows(), events.count),
      ],
    }),
    figure: () => ({
      label: 'Events',
      value: grouped(events.count),
      tone: null,
      rule: 'events.jsonl: one a line.',
      events: refsText(events),
    }),
  };
}

type Row = ReportTable['rows'][number];

const columns = columnsOf({
  Event: 15,
  Occurred: 12,
  'Event type': 11,
  '#Amount': 12,
  Payee: 18,
  Agent: 13,
  Verdicts: 11,
});

const tableOf = (rows: Row[], count: number): ReportTable => ({
  type: 'table',
  caption: counted(count, 'event'),
  columns,
  rows,
  more: moreIn(count - rows.length, 'events.jsonl'),
});

const isRemarkable = ({ verification, mandate_evaluation }: PackEvent): boolean =>
  (verification !== null && verification.result !== 'verified') ||
  (mandate_evaluation !== null && mandate_evaluation.result !== 'compliant');

function rowOf(event: PackEvent): Row {
  const { id, chain_seq, type, occurred_at, payment, agent, amount_usd_micro } = event;
  const priced = amount_usd_micro === null ? 'not priced' : exactUsd(BigInt(amount_usd_micro));
  const amount = outside(amountText(payment.amount));
  return {
    seq: chain_seq,
    cells: [
      [{ seqs: [chain_seq], more: '' }, ' ', code(id)],
      time(occurred_at),
      [spoken(type.replace('payment.', '')), ', ', payment.rail, ' ', outside(payment.payment_id)],
      [priced, ...(payment.amount.currency === 'USD' ? [] : [' (', amount, ')'])],
      payeeText(payment.payee.name, payment.payee.key),
      outside(agent.name ?? agent.external_id ?? agent.id),
      verdictsOf(event),
    ],
  };
}

function verdictsOf({ verification, mandate_evaluation }: PackEvent): Text {
  const verdicts: VerdictText[] = [];
  if (verification) verdicts.push(verificationVerdict(verification.result));
  if (mandate_evaluation) verdicts.push(mandateVerdict(mandate_evaluation.result));
  return verdicts.length === 0 ? 'none' : verdicts.flatMap((each, index) => (index === 0 ? [each] : [', ', each]));
}
