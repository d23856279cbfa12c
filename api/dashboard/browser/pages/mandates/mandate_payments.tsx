import type { DataOf } from '#api/client/call.ts';
import { eventColumns } from '#api/dashboard/browser/pages/events/event_columns.tsx';
import { localTimes } from '#api/dashboard/browser/parts/format.ts';
import { Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { SLOW, STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { describeResult } from '#shared/mandates/describe.ts';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';

type Evaluated = DataOf<'GET /v1/mandates/{id}/payments'>['data'][number];
type Version = DataOf<'GET /v1/mandates/{id}/versions'>['data'][number];

const columns: Column<Evaluated>[] = eventColumns.filter(({ name }) => name !== 'Agent' && name !== 'Rail');

/** The latest payments that were evaluated by a mandate, or those that break it, with the reason. */
export function MandatePayments({ id, breaches = false }: { id: string; breaches?: boolean }) {
  const reading = useReading(
    'GET /v1/mandates/{id}/payments',
    { params: { id }, query: { limit: 10, ...(breaches && { result: 'breach' as const }) } },
    SLOW,
  );
  const versions = useReading('GET /v1/mandates/{id}/versions', { params: { id }, query: { limit: 200 } }, STILL);
  const all = { mandate_id: id, ...(breaches && { mandate_result: 'breach' }) };
  const title = breaches ? 'Breaches' : 'Evaluated payments';
  const shown = breaches
    ? [...columns.filter(({ name }) => name !== 'Mandate'), reasonColumn(versions.data?.data ?? [])]
    : columns;
  return (
    <Section title={title} actions={<a href={`/events?${new URLSearchParams(all)}`}>View all</a>}>
      <Loaded reading={reading}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">{breaches ? 'No breaches.' : 'No payments yet.'}</p>
          ) : (
            <Table
              caption={title}
              columns={shown}
              rows={data}
              idOf={event => (breaches ? `breach-${event.id}` : event.id)}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

const reasonColumn = (versions: Version[]): Column<Evaluated> => ({
  name: 'Reason',
  from: 'middle',
  show: ({ evaluation }) => <span class="value">{localTimes(reasonsOf(evaluation, versions).join('; '))}</span>,
});

/** What was paid and what was allowed, in words, for each constraint that is broken. */
function reasonsOf({ constraints, version }: Evaluated['evaluation'], versions: Version[]): string[] {
  const terms = (versions.find(each => each.version === version)?.constraints ?? []) as ConstraintTerms[];
  // What a mandate says itself – its state, its time – comes before its constraints.
  const before = constraints.length - terms.length;
  return constraints.flatMap((each, index) =>
    each.result === 'breach' ? [describeResult(each, terms[index - before])] : [],
  );
}
