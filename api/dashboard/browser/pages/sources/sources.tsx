import { useState } from 'preact/hooks';
import type { Source } from '#shared/keys/sources.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { MOST_ON_PAGE, useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { kindName } from './kinds.ts';
import { DisableSource } from './disable_source.tsx';
import { SourceForm } from './source_form.tsx';

type Asked = { act: 'new' } | { act: 'edit' | 'state'; source: Source };

/** Where events come from. */
export function Sources() {
  const { may } = useSession();
  const list = useRows('GET /v1/sources', [], { limit: MOST_ON_PAGE });
  const [dialog, setDialog] = useState<Asked | null>(null);
  const close = () => {
    setDialog(null);
    list.showFresh();
  };
  const mayChange = may('configure');
  const make = mayChange && (
    <button type="button" class="main" onClick={() => setDialog({ act: 'new' })}>
      Register source
    </button>
  );
  const columns: Column<Source>[] = [
    {
      name: 'Name',
      value: ({ name }) => name,
      show: ({ id, name, description }) => (
        <>
          <a class="name" href={`/sources/${id}`}>
            {name}
          </a>
          {description && <small class="quiet under">{description}</small>}
        </>
      ),
    },
    { name: 'Kind', value: ({ kind }) => kindName(kind), show: ({ kind }) => kindName(kind), from: 'middle' },
    { name: 'Signing key', show: ({ key_thumbprint }) => <Key of={key_thumbprint} />, from: 'wide' },
    {
      name: 'Last event',
      value: ({ last_event_at }) => last_event_at,
      show: ({ last_event_at }) => (last_event_at ? <Time at={last_event_at} ago /> : <span class="quiet">Never</span>),
    },
    { name: 'State', value: ({ state }) => state, show: ({ state }) => <Badge of={state} />, from: 'middle' },
    { name: 'ID', show: ({ id }) => <Copy text={id} />, from: 'wide' },
    {
      name: 'Actions',
      unnamed: true,
      align: 'end',
      show: source =>
        mayChange && (
          <div class="row-actions">
            <button
              type="button"
              class="plain"
              aria-label={`Edit ${source.name}`}
              onClick={() => setDialog({ act: 'edit', source })}
            >
              Edit
            </button>
            <button
              type="button"
              class="plain"
              aria-label={`${source.state === 'active' ? 'Disable' : 'Enable'} ${source.name}`}
              onClick={() => setDialog({ act: 'state', source })}
            >
              {source.state === 'active' ? 'Disable' : 'Enable'}
            </button>
          </div>
        ),
    },
  ];
  return (
    <Page title="Sources" actions={make}>
      <List
        caption="Sources"
        list={list}
        columns={columns}
        rowClass={({ state }) => (state === 'disabled' ? 'past' : '')}
        empty={
          <Empty title="No sources yet">
            <p>
              Every <a href="/api-keys">API key</a> has its own source. Register more if several systems report payments
              or sign their events. Each event records the source it came from.
            </p>
            {make}
          </Empty>
        }
      />
      {dialog?.act === 'new' && <SourceForm close={close} />}
      {dialog?.act === 'edit' && <SourceForm of={dialog.source} close={close} />}
      {dialog?.act === 'state' && <DisableSource source={dialog.source} close={close} />}
    </Page>
  );
}

export const Key = ({ of }: { of: string | null }) =>
  of ? <Copy text={of} label="thumbprint" /> : <span class="quiet">None</span>;
