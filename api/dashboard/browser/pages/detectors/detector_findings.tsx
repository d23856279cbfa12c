import type { ShadowFinding } from '#shared/detection/settings/shadow_findings.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, localTimes } from '#api/dashboard/browser/parts/format.ts';
import { AgentName } from '#api/dashboard/browser/parts/names.tsx';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';

const MOST = 50;

/** What a detector found and raised no alert for. */
export function DetectorFindings({ name }: { name: string }) {
  const reading = useReading('GET /v1/detectors/{name}/findings', { params: { name }, query: { limit: MOST } });
  return (
    <Section title="Suppressed findings">
      <Loaded reading={reading}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <p class="quiet">
              None. Findings in shadow mode, below the minimum severity, or in the cooldown after closing are listed
              here.
            </p>
          ) : (
            <>
              <Table caption="Suppressed findings, newest first" columns={columns} rows={data} idOf={idOf} />
              {next_cursor && <p class="quiet">Showing the newest {MOST}. Use the API to read older findings.</p>}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

const idOf = ({ id }: ShadowFinding) => id;

/** What every finding says, of a back-test as well. */
export const findingColumns: Column<
  Pick<ShadowFinding, 'event_id' | 'title' | 'explanation' | 'agent_id' | 'severity'>
>[] = [
  {
    name: 'Finding',
    show: ({ event_id, title, explanation }) => (
      <>
        <a href={`/events/${event_id}`}>{isolated(title)}</a>
        <small class="quiet under">{isolated(localTimes(explanation))}</small>
      </>
    ),
  },
  { name: 'Agent', show: ({ agent_id }) => <AgentName id={agent_id} />, from: 'middle' },
  { name: 'Severity', show: ({ severity }) => <Badge of={severity} /> },
];

const reasons: Record<ShadowFinding['reason'], string> = {
  shadow: 'Shadow mode',
  below_floor: 'Below minimum severity',
  cooldown: 'Cooldown after closing',
};

const columns: Column<ShadowFinding>[] = [
  ...findingColumns,
  {
    name: 'Reason',
    show: ({ reason }) => reasons[reason],
    from: 'wide',
  },
  { name: 'Occurrences', show: ({ hits }) => countText(hits), align: 'end', from: 'middle' },
  { name: 'Last seen', show: ({ last_at }) => <Time at={last_at} ago />, from: 'middle' },
];
