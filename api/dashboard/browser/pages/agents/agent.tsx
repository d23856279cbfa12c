import type { Agent } from '#shared/events/parties/agent_records.ts';
import type { Mandate } from '#shared/mandates/store/mandates.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { OwnerName } from '#api/dashboard/browser/parts/names.tsx';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time, Usd } from '#api/dashboard/browser/parts/values.tsx';
import { usePathId } from '#api/dashboard/browser/parts/use_path_id.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { AlertsOf } from '#api/dashboard/browser/parts/alerts_of.tsx';
import { AgentLabels } from './agent_labels.tsx';
import { AgentRhythm } from './agent_rhythm.tsx';
import { AgentTimeline } from './agent_timeline.tsx';

/** One agent: who it is, what it spends, what it may, and what is held against it. */
export function AgentPage() {
  const id = usePathId();
  const reading = useReading('GET /v1/agents/{id}', { params: { id } });
  const { may } = useSession();
  return (
    <Page
      title={reading.data ? (reading.data.name ?? reading.data.external_id ?? id) : 'Agent'}
      eyebrow={<a href="/agents">Agents</a>}
      actions={
        may('act') && (
          <>
            <a class="button" href={`/packs?new=1&agent_id=${id}`}>
              Build pack
            </a>
            <a class="button" href={`/cases?new=1&agent_id=${id}`}>
              Create case
            </a>
          </>
        )
      }
    >
      <Loaded reading={reading}>
        {agent => (
          <>
            <AgentFacts agent={agent} />
            <AlertsOf
              of={{ agent_id: agent.id, state: 'open' }}
              title="Open alerts"
              none
              all={`/alerts?agent_id=${agent.id}`}
            />
            <AgentRhythm id={agent.id} name={agent.name ?? agent.external_id ?? agent.id} />
            <Mandates id={agent.id} />
            <AgentTimeline id={agent.id} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const AgentFacts = ({ agent }: { agent: Agent }) => (
  <Facts
    of={[
      ['State', <Badge of={agent.state} />],
      ['Owner', <OwnerName id={agent.owner_id} />],
      ['Spend, last 30 days', <Usd cents={agent.spend_usd_minor_30d} />],
      ['Open alerts', countText(agent.open_alerts)],
      ['Events', countText(agent.event_count)],
      ['Framework', agent.framework],
      ['Model', agent.model],
      ['First seen', <Time at={agent.first_seen_at} />],
      ['Last seen', <Time at={agent.last_seen_at} ago />],
      ['Your ID', agent.external_id && <Copy text={agent.external_id} whole />],
      ['ID', <Copy text={agent.id} label="agent ID" />],
      ['Labels', <AgentLabels agent={agent} />],
    ]}
  />
);

function Mandates({ id }: { id: string }) {
  const { may } = useSession();
  const reading = useReading('GET /v1/mandates', { query: { agent_id: id, limit: 20 } });
  return (
    <Section title="Mandates" actions={<a href={`/mandates?agent_id=${id}`}>All mandates</a>}>
      <Loaded reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">
              No mandates.
              {may('configure') && (
                <>
                  {' '}
                  <a href={`/mandates/new?agent_id=${id}`}>Create a mandate</a>.
                </>
              )}
            </p>
          ) : (
            <Table caption="Mandates" columns={mandateColumns} rows={data} idOf={mandate => mandate.id} />
          )
        }
      </Loaded>
    </Section>
  );
}

const mandateColumns: Column<Mandate>[] = [
  { name: 'Mandate', show: ({ id, name }) => <a href={`/mandates/${id}`}>{name}</a> },
  { name: 'State', show: ({ state }) => <Badge of={state} /> },
  { name: 'Constraints', from: 'middle', align: 'end', show: ({ constraints }) => countText(constraints.length) },
  {
    name: 'Expires',
    from: 'middle',
    show: ({ valid_until }) => (valid_until ? <Time at={valid_until} /> : <span class="quiet">Never</span>),
  },
];
