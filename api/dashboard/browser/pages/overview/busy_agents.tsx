import type { Agent } from '#shared/events/parties/agent_records.ts';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Usd } from '#api/dashboard/browser/parts/values.tsx';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';

/** A page of agents: the names of agents are read from the same one. */
const PAGE = 200;
const MOST_LISTED = 6;

/** The agents with the most open alerts, and those that spent the most. */
export function BusyAgents() {
  const reading = useReading('GET /v1/agents', { query: { limit: PAGE } }, SLOW);
  const spenders = useReading('GET /v1/agents', { query: { limit: MOST_LISTED, sort: 'spend' } }, SLOW);
  return (
    <Loaded reading={reading}>
      {({ data, next_cursor }) => {
        const of = next_cursor === null ? '' : ` (newest ${PAGE} agents)`;
        const watched = top(data, ({ open_alerts }) => open_alerts);
        return (
          <div class="columns">
            <Section title={`Agents with open alerts${of}`} actions={<a href="/agents">View all</a>}>
              {watched.length === 0 ? (
                <p class="quiet">No open alerts.</p>
              ) : (
                <Table
                  caption="Agents with open alerts"
                  columns={columns}
                  rows={watched}
                  idOf={({ id }) => `alerts-${id}`}
                />
              )}
            </Section>
            <Section title="Top agents by spend" actions={<a href="/agents?sort=spend">View all</a>}>
              <Loaded reading={spenders}>
                {({ data: rows }) =>
                  rows.length === 0 ? (
                    <p class="quiet">No agents yet.</p>
                  ) : (
                    <Table caption="Agents by spend" columns={columns} rows={rows} idOf={({ id }) => `spend-${id}`} />
                  )
                }
              </Loaded>
            </Section>
          </div>
        );
      }}
    </Loaded>
  );
}

const top = (agents: Agent[], by: (agent: Agent) => number): Agent[] =>
  agents
    .filter(agent => by(agent) > 0)
    .toSorted((one, other) => by(other) - by(one))
    .slice(0, MOST_LISTED);

const columns: Column<Agent>[] = [
  {
    name: 'Agent',
    show: ({ id, name, external_id }) => (
      <a class="name" href={`/agents/${id}`}>
        {name ?? external_id ?? id}
      </a>
    ),
  },
  { name: 'Open alerts', align: 'end', show: ({ open_alerts }) => countText(open_alerts) },
  { name: 'Spend, 30 days', align: 'end', show: ({ spend_usd_minor_30d }) => <Usd cents={spend_usd_minor_30d} /> },
];
