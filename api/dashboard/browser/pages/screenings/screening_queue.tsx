import { useState } from 'preact/hooks';
import type { Screening } from '#shared/screening/store/screenings.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { type Filter, Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { countText, keyText, percentText } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Empty, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { periodFilters } from '#api/dashboard/browser/parts/period.ts';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { type Narrowing, useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { ScreenName } from './screen_name.tsx';
import { ScreeningLists } from './screening_lists.tsx';

/** Payees that may be on a list, to be decided on; and what they are held against. */
export function ScreeningQueue() {
  const [isAsking, setAsking] = useState(false);
  const { query } = useQuery();
  const list = useRows('GET /v1/screenings', [...filters, order, { name: 'direction' }]);
  return (
    <Page
      title="Screenings"
      actions={
        <button type="button" onClick={() => setAsking(true)}>
          Screen a name
        </button>
      }
    >
      {isAsking && <ScreenName close={() => setAsking(false)} />}
      <Filters of={filters} />
      <List
        caption="Screenings"
        list={list}
        columns={isScored(query['state']) ? scoredColumns : columns}
        tools={{ exports: { kind: 'screenings', filters } }}
        empty={
          <Empty title="No screenings to review">
            <p>
              Every payee is screened against the lists below when first paid, and again when a list changes. See{' '}
              <a href="/screenings?state=any">all screenings</a>.
            </p>
          </Empty>
        }
      />
      <Section title="Loaded lists">
        <ScreeningLists />
      </Section>
    </Page>
  );
}

const filters: Filter<'GET /v1/screenings'>[] = [
  {
    name: 'state',
    label: 'State',
    kind: 'choice',
    of: ['pending', 'clear', 'confirmed_match', 'false_positive', 'error', 'any'],
    none: 'Potential match',
    sends: (state = 'potential_match') => (state === 'any' ? undefined : state),
  },
  ...periodFilters,
  { name: 'payee_id', label: 'Payee', kind: 'pick', of: 'payee' },
];

/** Only what is to be reviewed is listed by score. */
const isScored = (state = 'potential_match') => state === 'potential_match';
const order: Narrowing<'GET /v1/screenings'> = {
  name: 'sort',
  sends: (by, { state }) => (isScored(state) ? by : undefined),
};

const columns: Column<Screening>[] = [
  {
    name: 'Payee',
    show: ({ id, query: { name, key }, state }) => (
      <>
        <a href={`/screenings/${id}`}>{name ?? (key && keyText(key)) ?? id}</a>
        <small class="only-narrow">
          <Badge of={state} />
        </small>
      </>
    ),
  },
  { name: 'Score', align: 'end', show: ({ score }) => percentText(score, 1) },
  {
    name: 'Best match',
    from: 'middle',
    show: ({ matches: [best, ...others] }) =>
      best ? (
        <>
          {best.name}{' '}
          <small class="quiet">
            {best.list}
            {others.length > 0 && ` + ${countText(others.length)} more`}
          </small>
        </>
      ) : (
        <span class="quiet">None</span>
      ),
  },
  { name: 'State', from: 'middle', show: ({ state }) => <Badge of={state} /> },
  { name: 'Screened', sort: 'created_at', from: 'middle', show: ({ created_at }) => <Time at={created_at} ago /> },
];

const scoredColumns = columns.map(column => (column.name === 'Score' ? { ...column, sort: 'score' } : column));
