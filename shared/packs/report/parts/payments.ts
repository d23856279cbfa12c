import { LONGEST_NAME, MOST_TALL } from '#shared/packs/report/limits.ts';
import type { PackReferences } from '#shared/packs/report/references.ts';
import { amountText, exactUsd, type ReportUnit } from '#shared/packs/report/money.ts';
import { shown } from '#shared/packs/report/outside.ts';
import { mergeRefs, noRefs, refsText } from '#shared/packs/report/refs.ts';
import type {
  Bars,
  ReportBlock,
  Figure,
  ReportSection,
  Series,
  ReportTable,
  Text,
} from '#shared/packs/report/report.ts';
import { columnsOf, counted, grouped, moreIn, spoken, verdict } from '#shared/packs/report/words.ts';
import type { PaymentSums, Sum } from './payment_sums.ts';

/** How payments are counted, for anybody who wants to recount them. */
const rule =
  'Computed from events.jsonl. A payment (payment.payment_id of one agent) is counted once, on the day of its first event. It counts as ' +
  'spending from its first authorized, settled or disputed event on, and on that day, unless its latest event is a failure or a ' +
  'cancellation: with amount_usd_micro of its latest event of those three types, less that of every refund, never less than nothing. Days ' +
  'are of UTC. Only events in this pack are known here. The events named beside a number are those that the amounts are taken from.';

/** Payments over time, and by rail, payee, status and agent. */
export function paymentsSection(sums: PaymentSums, references: PackReferences): ReportSection {
  const { rail, payee_id, status, agent_id } = sums.by;
  const agents = bySpend(agent_id, 'Agent', id => references.agent(id));
  const blocks: (ReportBlock | null)[] = [
    { type: 'note', text: rule },
    seriesOf(sums),
    bySpend(rail, 'Rail', name => name),
    bySpend(payee_id, 'Payee', id => references.payee(id)),
    byCount(status),
    agent_id.size > 1 ? agents : null,
    unpricedTable(sums),
  ];
  return { id: 'payments', title: 'Payments', blocks: blocks.filter(block => block !== null) };
}

/** The payment numbers that a summary may show. */
export function paymentFigures({
  all,
  counting,
  unpriced,
}: PaymentSums): Record<'payments' | 'spend' | 'unpriced', Figure> {
  const without = noRefs();
  for (const { events } of unpriced.values()) mergeRefs(without, events);
  return {
    payments: {
      label: 'Payments',
      value: grouped(all.payments),
      tone: null,
      rule: 'events.jsonl: different payment.payment_id, by agent.',
      events: refsText(all.events),
    },
    spend: {
      label: 'Spend',
      value: exactUsd(counting.spend_micro),
      tone: null,
      rule: `events.jsonl: ${counted(counting.payments, 'payment')} that ${counting.payments === 1 ? 'counts' : 'count'} as spending, each once, refunds taken off; see Payments.`,
      events: refsText(counting.events),
    },
    unpriced: {
      label: 'Not priced in dollars',
      value: counted(counting.unpriced, 'payment'),
      tone: counting.unpriced > 0 ? 'open' : null,
      rule:
        unpriced.size === 0
          ? 'events.jsonl: every amount that counts has amount_usd_micro.'
          : `events.jsonl: amount_usd_micro is null. They are not in the spend: ${listed([...unpriced])}`,
      events: unpriced.size === 0 ? '' : refsText(without),
    },
  };
}

const listed = (sums: [string, { value: bigint }][]): string => {
  const first = sums.slice(0, 3).map(([unit, { value }]) => unitAmount(unit, value));
  return `${first.join(', ')}${sums.length > first.length ? `, and in ${grouped(sums.length - first.length)} more units` : ''}.`;
};

/** Null when there is nothing to draw. */
function seriesOf({ periods, by_period }: PaymentSums): Series | null {
  if (!periods) return null;
  const sums = periods.labels.map(label => by_period.get(label));
  const payments = sums.map(sum => BigInt(sum?.payments ?? 0));
  const spend = sums.map(sum => sum?.spend_micro ?? 0n);
  const paymentShares = shares(payments);
  const spendShares = shares(spend);
  const unit = periods.unit.toLowerCase();
  return {
    type: 'series',
    caption: `Payments and spend by ${unit}`,
    unit: periods.unit === 'Week' ? 'Week from (UTC)' : `${periods.unit} (UTC)`,
    charts: [
      { title: `Payments by ${unit}`, top: grouped(most(payments)) },
      { title: `Spend by ${unit}`, top: exactUsd(most(spend)) },
    ],
    points: periods.labels.map((label, index) => ({
      label,
      shares: [paymentShares[index] ?? 0, spendShares[index] ?? 0],
      texts: [grouped(payments[index] ?? 0n), spendText(sums[index])],
      events: sums[index] ? refsText(sums[index].events) : '',
    })),
  };
}

const most = (values: readonly bigint[]): bigint => values.reduce((top, value) => (value > top ? value : top), 0n);

const spendText = (sum: Sum | undefined): string =>
  sum && sum.unpriced > 0
    ? `${exactUsd(sum.spend_micro)} + ${grouped(sum.unpriced)} not priced`
    : exactUsd(sum?.spend_micro ?? 0n);

/** The sums with the highest spend first, then with the most payments, then by key, so that the order is always the same. */
const ordered = (sums: Map<string, Sum>): [string, Sum][] =>
  [...sums].toSorted(
    ([a, x], [b, y]) =>
      Number(y.spend_micro > x.spend_micro) - Number(y.spend_micro < x.spend_micro) ||
      y.payments - x.payments ||
      (a < b ? -1 : 1),
  );

function bySpend(sums: Map<string, Sum>, name: string, label: (key: string) => Text): Bars {
  const rows = ordered(sums).slice(0, MOST_TALL);
  const bars = shares(rows.map(([, { spend_micro }]) => spend_micro));
  return {
    type: 'bars',
    caption: `Spend by ${name.toLowerCase()}`,
    columns: [name, 'Spend', 'Payments', 'Events'],
    rows: rows.map(([key, sum], index) => ({
      label: label(key),
      share: bars[index] ?? 0,
      value: spendText(sum),
      also: grouped(sum.payments),
      events: refsText(sum.events),
    })),
    more: moreIn(sums.size - rows.length, 'events.jsonl'),
  };
}

function byCount(sums: Map<string, Sum>): Bars {
  const rows = [...sums].toSorted(([a, x], [b, y]) => y.payments - x.payments || (a < b ? -1 : 1));
  const bars = shares(rows.map(([, { payments }]) => BigInt(payments)));
  return {
    type: 'bars',
    caption: 'Payments by status',
    columns: ['Latest status', 'Payments', 'Spend', 'Events'],
    rows: rows.map(([status, sum], index) => ({
      label: status === 'failed' || status === 'disputed' ? verdict(status, 'bad') : spoken(status),
      share: bars[index] ?? 0,
      value: grouped(sum.payments),
      also: spendText(sum),
      events: refsText(sum.events),
    })),
    more: null,
  };
}

/** Null when every amount has a price. */
function unpricedTable({ unpriced }: PaymentSums): ReportTable | null {
  if (unpriced.size === 0) return null;
  const rows = [...unpriced].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    type: 'table',
    caption: 'Amounts that count and have no price in dollars, by what they were paid in; refunds are taken off',
    columns: columnsOf({ Amount: 5, '#Payments': 2, '#Refunds': 2, Events: 4 }),
    rows: rows.slice(0, MOST_TALL).map(([unit, { value, payments, refunds, events }]) => ({
      seq: null,
      cells: [{ outside: unitAmount(unit, value) }, grouped(payments), grouped(refunds), refsText(events)],
    })),
    more: moreIn(rows.length - MOST_TALL, 'events.jsonl'),
  };
}

function unitAmount(unit: string, value: bigint): string {
  const amount = amountText({ ...(JSON.parse(unit) as ReportUnit), value: String(value < 0n ? -value : value) });
  return shown(value < 0n ? `-${amount}` : amount, LONGEST_NAME);
}

/** Thousandths of the largest value, as whole numbers, for a chart. Whatever is not zero gets at least a line. */
function shares(values: readonly bigint[]): number[] {
  const top = most(values);
  return values.map(value => (value <= 0n ? 0 : Math.max(LINE, Number((value * 1_000n) / top))));
}

const LINE = 5;
