import { useState } from 'preact/hooks';
import { listScreenings, type Screening } from '#api/client/generated.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { Chips } from '#api/dashboard/browser/parts/chips.tsx';
import { Filters } from '#api/dashboard/browser/parts/filters.tsx';
import { countText, percentText, shortened } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { PayeeName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { ScreenSomebody } from './screen_somebody.tsx';
import { ScreeningLists } from './screening_lists.tsx';

const states = ['pending', 'clear', 'confirmed_match', 'false_positive', 'error', 'any'];
const idOf = (screening: Screening): string => screening.id;

/** Payees that may be on a list, to be decided on; and what they are held against. */
export function ScreeningQueue() {
  const { query } = useQuery();
  const [isAsking, setAsking] = useState(false);
  const list = useRows(listScreenings, argsOf(query), idOf);
  return (
    <Page
      title="Screenings"
      actions={
        <button type="button" onClick={() => setAsking(true)}>
          Screen somebody
        </button>
      }
    >
      {isAsking && <ScreenSomebody close={() => setAsking(false)} />}
      <Filters
        of={[
          { name: 'state', label: 'State', kind: 'choice', of: states, none: 'Potential match' },
          { name: 'from', label: 'From', kind: 'time' },
          { name: 'to', label: 'To', kind: 'time' },
        ]}
      />
      <Chips of={[{ name: 'payee_id', label: 'Payee', show: id => <PayeeName id={id} /> }]} />
      <List
        caption="Screenings"
        list={list}
        columns={columns}
        idOf={idOf}
        empty={
          <Empty title="Nobody waits for a decision.">
            <p>
              Every payee is looked up in the lists below when it is first paid, and again when a list changes. See{' '}
              <a href="/screenings?state=any">all screenings</a>.
            </p>
          </Empty>
        }
      />
      <Section title="Lists that are loaded">
        <ScreeningLists />
      </Section>
    </Page>
  );
}

/** By default those that wait for a decision. */
const argsOf = (query: Record<string, string | undefined>) => ({
  state: query['state'] === 'any' ? undefined : (query['state'] ?? 'potential_match'),
  payeeId: query['payee_id'],
  $from: query['from'],
  to: query['to'],
  limit: 50,
  cursor: query['cursor'],
});

const columns: Column<Screening>[] = [
  {
    name: 'Who',
    show: ({ id, query: { name, key } }) => <a href={`/screenings/${id}`}>{name ?? (key && shortened(key)) ?? id}</a>,
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
            {others.length > 0 && `, and ${countText(others.length)} more`}
          </small>
        </>
      ) : (
        <span class="quiet">none</span>
      ),
  },
  { name: 'State', show: ({ state }) => <Badge of={state} /> },
  { name: 'Screened', from: 'middle', show: ({ created_at }) => <Time at={created_at} ago /> },
];
