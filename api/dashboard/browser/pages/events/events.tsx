import type { PaymentStatus, Rail } from '#shared/values/event_types.ts';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { FirstSteps } from '#api/dashboard/browser/parts/first_steps.tsx';
import { shortened } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { OwnerName } from '#api/dashboard/browser/parts/names.tsx';
import { Page } from '#api/dashboard/browser/parts/page.tsx';
import { periodFilters } from '#api/dashboard/browser/parts/period.ts';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { amountFilters } from './amount_filter.ts';
import { eventColumns } from './event_columns.tsx';
import { EventTotals } from './event_totals.tsx';

/** Everything that was reported of payments, the newest first. */
export function Events() {
  const list = useRows('GET /v1/events', filters);
  return (
    <Page title="Events">
      <Filters of={filters} />
      <List
        caption="Events"
        list={list}
        columns={eventColumns}
        tools={{ exports: { kind: 'events', filters }, totals: <EventTotals filters={filters} /> }}
        empty={<FirstSteps />}
      />
    </Page>
  );
}

// As records, so that a rail or a status that the API gains is missed by the type check and not by people.
const rails: Record<Rail, true> = {
  card: true,
  ach: true,
  sepa: true,
  wire: true,
  rtp: true,
  fps: true,
  pix: true,
  upi: true,
  x402: true,
  stablecoin: true,
  lightning: true,
  wallet: true,
  credits: true,
  other: true,
};
const statuses: Record<PaymentStatus, true> = {
  pending: true,
  authorized: true,
  settled: true,
  failed: true,
  canceled: true,
  refunded: true,
  partially_refunded: true,
  disputed: true,
};

const filters: Filter<'GET /v1/events'>[] = [
  { name: 'q', label: 'Search', kind: 'search', hint: 'Payee, agent, or ID' },
  ...amountFilters,
  { name: 'rail', label: 'Rail', kind: 'choice', of: Object.keys(rails) },
  { name: 'status', label: 'Status', kind: 'choice', of: Object.keys(statuses) },
  {
    name: 'verification',
    label: 'Verification',
    kind: 'choice',
    of: ['verified', 'failed', 'inconclusive', 'none'],
  },
  {
    name: 'mandate_result',
    label: 'Mandate result',
    kind: 'choice',
    of: ['compliant', 'breach', 'unresolved'],
  },
  ...periodFilters,
  {
    name: 'alert_id',
    label: 'Alert',
    kind: 'link',
    show: id => <a href={`/alerts/${id}`}>{shortened(id)}</a>,
  },
  { name: 'agent_id', label: 'Agent', kind: 'pick', of: 'agent' },
  { name: 'owner_id', label: 'Owner', kind: 'link', show: id => <OwnerName id={id} /> },
  { name: 'payee_id', label: 'Payee', kind: 'pick', of: 'payee' },
  { name: 'mandate_id', label: 'Mandate', kind: 'pick', of: 'mandate' },
];
