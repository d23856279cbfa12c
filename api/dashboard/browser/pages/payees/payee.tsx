import type { Screening } from '#shared/screening/store/screenings.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countryText, countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { usePathId } from '#api/dashboard/browser/parts/use_path_id.ts';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { LatestEvents } from '#api/dashboard/browser/pages/events/latest_events.tsx';

/** One payee: who it is, whether a sanctions list may mean it, and who pays it. */
export function PayeePage() {
  const id = usePathId();
  const reading = useReading('GET /v1/payees/{id}', { params: { id } });
  return (
    <Page
      title={reading.data ? (reading.data.name ?? reading.data.key) : 'Payee'}
      eyebrow={<a href="/payees">Payees</a>}
    >
      <Loaded reading={reading}>
        {payee => (
          <>
            <Facts
              of={[
                ['Screening', <Badge of={payee.screening_state} />],
                ['Type', payee.type && wordsOf(payee.type)],
                ['Country', payee.country && countryText(payee.country)],
                ['Former names', payee.aliases.length > 0 ? payee.aliases.join(', ') : null],
                ['Paid by agents', countText(payee.agent_count)],
                ['Events', countText(payee.event_count)],
                ['First seen', <Time at={payee.first_seen_at} />],
                ['Last seen', <Time at={payee.last_seen_at} ago />],
                ['Key', <Copy text={payee.key} label="payee key" whole />],
                ['ID', <Copy text={payee.id} label="payee ID" whole />],
              ]}
            />
            <Screenings id={payee.id} />
            <LatestEvents of={{ payee_id: payee.id }} all={`/events?payee_id=${payee.id}`} without="Payee" />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Screenings({ id }: { id: string }) {
  const reading = useReading('GET /v1/screenings', { query: { payee_id: id, limit: 10 } });
  return (
    <Section title="Screenings">
      <Loaded reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">Not screened yet</p>
          ) : (
            <Table caption="Screenings" columns={columns} rows={data} idOf={screening => screening.id} />
          )
        }
      </Loaded>
    </Section>
  );
}

const columns: Column<Screening>[] = [
  {
    name: 'Time',
    show: ({ id, created_at }) => (
      <a href={`/screenings/${id}`}>
        <Time at={created_at} />
      </a>
    ),
  },
  { name: 'Result', show: ({ state }) => <Badge of={state} /> },
  { name: 'Matches', from: 'middle', align: 'end', show: ({ matches }) => countText(matches.length) },
];
