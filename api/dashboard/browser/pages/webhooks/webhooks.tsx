import type { WebhookDelivery } from '#shared/webhooks/webhook_deliveries.ts';
import type { WebhookEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Empty, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { Attempts } from './attempts.tsx';

const states = ['pending', 'delivered', 'refused', 'failed', 'canceled'];
const types = ['alert.created', 'screening.potential_match', 'pack.ready'];

/** Where webhooks are sent, and what became of each. */
export function Webhooks() {
  const { me } = useSession();
  const endpoints = useReading('GET /v1/webhook-endpoints', { query: { limit: 200 } });
  const list = useRows('GET /v1/webhook-deliveries', [...filters, { name: 'direction' }]);
  return (
    <Page title="Webhooks">
      <Section title="Endpoints">
        <Loaded reading={endpoints}>{({ data }) => <Endpoints of={data} org_id={me.organization.id} />}</Loaded>
      </Section>
      <Section title="Deliveries">
        <Filters of={filters} />
        <List
          caption="Deliveries"
          list={list}
          columns={columns}
          empty={
            <Empty title="No deliveries yet">
              <p>A webhook is sent for every alert, every potential screening match, and every pack that is ready.</p>
            </Empty>
          }
        />
      </Section>
    </Page>
  );
}

const Endpoints = ({ of, org_id }: { of: WebhookEndpoint[]; org_id: string }) => (
  <>
    {of.length > 0 && (
      <Table caption="Endpoints, newest first" columns={endpointColumns} rows={of} idOf={({ id }) => id} />
    )}
    <p class={of.length > 0 ? 'quiet after-table' : ''}>
      {of.length === 0 && 'No endpoints yet, so no webhooks are sent. '}Endpoints are managed by your operator. To add
      or change one, or to resend failed deliveries, send them the URL or delivery ID and this organization ID:{' '}
      <Copy text={org_id} label="organization ID" />
    </p>
  </>
);

const endpointColumns: Column<WebhookEndpoint>[] = [
  { name: 'URL', show: ({ url }) => <span class="anywhere">{url}</span> },
  { name: 'ID', show: ({ id }) => <Copy text={id} />, from: 'middle' },
  { name: 'Created', show: ({ created_at }) => <Time at={created_at} ago />, from: 'middle' },
  {
    name: 'Deliveries',
    show: ({ id }) => <a href={`/webhooks?endpoint_id=${id}`}>View deliveries</a>,
    from: 'middle',
  },
  { name: 'State', show: ({ state }) => <Badge of={state} /> },
];

const filters: Filter<'GET /v1/webhook-deliveries'>[] = [
  { name: 'state', label: 'State', kind: 'choice', of: states },
  { name: 'type', label: 'Type', kind: 'choice', of: types },
  { name: 'endpoint_id', label: 'Endpoint', kind: 'pick', of: 'endpoint' },
];

const columns: Column<WebhookDelivery>[] = [
  {
    name: 'Delivery',
    show: delivery => (
      <>
        {delivery.type}
        <small class="only-narrow quiet">
          <Time at={delivery.created_at} ago />
        </small>
        <Attempts of={delivery} />
      </>
    ),
  },
  { name: 'Endpoint', show: ({ endpoint_id }) => <EndpointName id={endpoint_id} />, from: 'wide' },
  { name: 'Created', sort: 'created_at', show: ({ created_at }) => <Time at={created_at} ago />, from: 'middle' },
  { name: 'State', show: ({ state }) => <Badge of={state} /> },
];

function EndpointName({ id }: { id: string }) {
  const { data } = useReading('GET /v1/webhook-endpoints', { query: { limit: 200 } }, STILL);
  const url = data?.data.find(endpoint => endpoint.id === id)?.url;
  return (
    <div class="clip" title={id}>
      {url ?? id}
    </div>
  );
}
