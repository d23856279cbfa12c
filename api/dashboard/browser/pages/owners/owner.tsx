import { countryText, countText } from '#api/dashboard/browser/parts/format.ts';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { usePathId } from '#api/dashboard/browser/parts/use_path_id.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { agentColumns } from '#api/dashboard/browser/pages/agents/agents.tsx';
import { LatestEvents } from '#api/dashboard/browser/pages/events/latest_events.tsx';

/** One owner, its agents, and what they did. */
export function OwnerPage() {
  const id = usePathId();
  const reading = useReading('GET /v1/owners/{id}', { params: { id } });
  return (
    <Page
      title={reading.data ? (reading.data.name ?? reading.data.external_id ?? id) : 'Owner'}
      eyebrow={<a href="/owners">Owners</a>}
    >
      <Loaded reading={reading}>
        {owner => (
          <>
            <Facts
              of={[
                ['Country', owner.country && countryText(owner.country)],
                ['Agents', countText(owner.agent_count)],
                ['First seen', <Time at={owner.first_seen_at} />],
                ['Last seen', <Time at={owner.last_seen_at} ago />],
                ['Your ID', owner.external_id && <Copy text={owner.external_id} whole />],
                ['ID', <Copy text={owner.id} label="owner ID" />],
              ]}
            />
            <AgentsOf id={owner.id} />
            <LatestEvents of={{ owner_id: owner.id }} all={`/events?owner_id=${owner.id}`} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function AgentsOf({ id }: { id: string }) {
  const reading = useReading('GET /v1/agents', { query: { owner_id: id, limit: 50 } });
  return (
    <Section title="Agents" actions={<a href={`/agents?owner_id=${id}`}>View all agents</a>}>
      <Loaded reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">None. Agents of this owner were first seen with another owner.</p>
          ) : (
            <Table
              caption="Agents"
              columns={agentColumns.filter(({ name }) => name !== 'Owner')}
              rows={data}
              idOf={agent => agent.id}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
