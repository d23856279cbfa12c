import { useState } from 'preact/hooks';
import type { Erasure } from '#shared/erasure/erasures.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { MOST_ON_PAGE, useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { NewErasure } from './new_erasure.tsx';

/** Whose data was erased, by whom and on what ground. */
export function Erasures() {
  const { me, may } = useSession();
  if (may('erase')) return <ErasureList />;
  return (
    <Page title="Erasures">
      <Empty title="Only owners can see and request erasures.">
        <p>Your role is {wordsOf(me.role)}.</p>
      </Empty>
    </Page>
  );
}

function ErasureList() {
  const list = useRows('GET /v1/erasures', [], { limit: MOST_ON_PAGE });
  const [adding, setAdding] = useState(false);
  const close = () => {
    setAdding(false);
    list.showFresh();
  };
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      Erase data
    </button>
  );
  return (
    <Page title="Erasures" actions={add}>
      <List
        caption="Erasures"
        list={list}
        columns={columns}
        empty={
          <Empty title="No erasures yet">
            <p>
              When a person asks you to erase their data, names and values are removed from payments, alerts, cases, and
              packs. Hashes stay, so the log can still be verified.
            </p>
            {add}
          </Empty>
        }
      />
      {adding && <NewErasure close={close} />}
    </Page>
  );
}

const columns: Column<Erasure>[] = [
  {
    name: 'Erased',
    show: ({ subject, ground }) => (
      <>
        {wordsOf(subject.kind)} <code>{subject.id}</code>
        <small class="quiet under">{ground}</small>
      </>
    ),
  },
  {
    name: 'Events',
    value: ({ events }) => events,
    show: ({ events }) => countText(events),
    align: 'end',
    from: 'middle',
  },
  { name: 'Names', show: ({ names }) => countText(names), align: 'end', from: 'wide' },
  { name: 'Packs', show: ({ packs }) => countText(packs), align: 'end', from: 'wide' },
  {
    name: 'Requested',
    value: ({ requested_at }) => requested_at,
    show: ({ requested_at }) => <Time at={requested_at} ago />,
    from: 'middle',
  },
  { name: 'Requested by', show: ({ requested_by }) => <ActorName id={requested_by} />, from: 'wide' },
  { name: 'State', value: ({ state }) => state, show: ({ state }) => <Badge of={state} /> },
];
