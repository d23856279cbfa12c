import { useState } from 'preact/hooks';
import type { ApiKey } from '#shared/keys/api_keys.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { MOST_ON_PAGE, useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { NewKey } from './new_key.tsx';

/** The keys that agents and servers call the API with. */
export function ApiKeys() {
  const { may } = useSession();
  const list = useRows('GET /v1/api-keys', [], { limit: MOST_ON_PAGE });
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const mayChange = may('configure');
  const closeNew = () => {
    setMaking(false);
    list.showFresh();
  };
  const make = mayChange && (
    <button type="button" class="main" onClick={() => setMaking(true)}>
      Create API key
    </button>
  );
  const columns: Column<ApiKey>[] = [
    {
      name: 'Name',
      value: ({ name }) => name,
      show: ({ name, prefix }) => (
        <>
          <span class="name">{name}</span> <small class="quiet under">{prefix}…</small>
        </>
      ),
    },
    { name: 'Permissions', show: ({ scopes }) => <Scopes of={scopes} />, from: 'middle' },
    {
      name: 'Created',
      value: ({ created_at }) => created_at,
      show: ({ created_at }) => <Time at={created_at} ago />,
      from: 'wide',
    },
    { name: 'Created by', show: ({ created_by }) => <ActorName id={created_by} />, from: 'wide' },
    {
      name: 'Last used',
      value: ({ last_used_at }) => last_used_at,
      show: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} ago /> : <span class="quiet">Never</span>),
      from: 'middle',
    },
    {
      name: 'Expires',
      value: ({ expires_at }) => expires_at,
      show: ({ expires_at }) => (expires_at ? <Time at={expires_at} ago /> : <span class="quiet">Never</span>),
      from: 'wide',
    },
    {
      name: 'Allowed IPs',
      show: ({ ip_allowlist }) => ip_allowlist?.join(', ') ?? <span class="quiet">Any</span>,
      from: 'wide',
    },
    {
      name: 'State',
      value: stateOf,
      show: key => <Badge of={stateOf(key)} label={`${wordsOf(stateOf(key))}, ${key.env}`} />,
    },
    {
      name: 'Revoke',
      unnamed: true,
      align: 'end',
      show: key =>
        mayChange &&
        key.revoked_at === null && (
          <button type="button" class="plain" aria-label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
            Revoke
          </button>
        ),
    },
  ];
  return (
    <Page title="API keys" actions={make}>
      <List
        caption="API keys"
        list={list}
        columns={columns}
        rowClass={key => (stateOf(key) === 'active' ? '' : 'past')}
        empty={
          <Empty title="No API keys yet">
            <p>Your agents report payments with an API key. Create one, and store it as a secret on their server.</p>
            {make}
          </Empty>
        }
      />
      {making && <NewKey close={closeNew} />}
      {revoking && <Revoke apiKey={revoking} close={() => setRevoking(null)} />}
    </Page>
  );
}

function stateOf({ revoked_at, expires_at }: ApiKey) {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}

const Scopes = ({ of }: { of: string[] }) => (
  <span title={of.join(', ')}>
    {of.slice(0, 2).join(', ')}
    {of.length > 2 && <span class="quiet"> and {of.length - 2} more</span>}
  </span>
);

function Revoke({ apiKey: { id, name, prefix, last_used_at }, close }: { apiKey: ApiKey; close: () => void }) {
  const { run, busy, problem } = useChange('DELETE /v1/api-keys/{id}');
  return (
    <Confirm
      title={`Revoke API key “${name}”`}
      button="Revoke API key"
      danger
      act={() => run({ params: { id } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>
        Requests with <code>{prefix}…</code> are refused within 10 seconds. You can’t undo this.{' '}
        {last_used_at ? (
          <>
            Last used <Time at={last_used_at} ago />.
          </>
        ) : (
          'Never used.'
        )}
      </p>
    </Confirm>
  );
}
