import { useState } from 'preact/hooks';
import type { TrustedKey } from '#shared/keys/trusted_keys.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { List } from '#api/dashboard/browser/parts/list.tsx';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { OnlyManagers } from '#api/dashboard/browser/parts/only_managers.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import type { Column } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { MOST_ON_PAGE, useRows } from '#api/dashboard/browser/reading/use_rows.ts';
import { AddTrustedKey } from './add_trusted_key.tsx';
import { useName } from './uses.ts';

/** Whose signatures are believed. */
export const TrustedKeys = () => (
  <OnlyManagers title="Trusted keys" says="Only admins and owners can see trusted keys.">
    <KeyList />
  </OnlyManagers>
);

function KeyList() {
  const list = useRows('GET /v1/trusted-keys', [], { limit: MOST_ON_PAGE });
  const [adding, setAdding] = useState(false);
  const [revoking, setRevoking] = useState<TrustedKey | null>(null);
  const closeNew = () => {
    setAdding(false);
    list.showFresh();
  };
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      Add trusted key
    </button>
  );
  const columns: Column<TrustedKey>[] = [
    {
      name: 'Key',
      value: ({ kid }) => kid,
      show: ({ kid, issuer, use }) => (
        <>
          <code>{kid}</code>
          <small class="quiet under">
            {useName(use)}
            {issuer && `, ${issuer}`}
          </small>
        </>
      ),
    },
    { name: 'Thumbprint', show: ({ thumbprint }) => <Copy text={thumbprint} />, from: 'wide' },
    {
      name: 'Expires',
      value: ({ not_after }) => not_after,
      show: ({ not_after }) => (not_after ? <Time at={not_after} ago /> : <span class="quiet">Never</span>),
      from: 'wide',
    },
    {
      name: 'Added',
      value: ({ created_at }) => created_at,
      show: ({ created_at }) => <Time at={created_at} ago />,
      from: 'middle',
    },
    { name: 'Added by', show: ({ created_by }) => <ActorName id={created_by} />, from: 'wide' },
    { name: 'State', value: stateOf, show: key => <Badge of={stateOf(key)} /> },
    {
      name: 'Revoke',
      unnamed: true,
      align: 'end',
      show: key =>
        key.revoked_at === null && (
          <button type="button" class="plain" aria-label={`Revoke ${key.kid}`} onClick={() => setRevoking(key)}>
            Revoke
          </button>
        ),
    },
  ];
  return (
    <Page title="Trusted keys" actions={add}>
      <List
        caption="Trusted keys"
        list={list}
        columns={columns}
        rowClass={key => (stateOf(key) === 'active' ? '' : 'past')}
        empty={
          <Empty title="No trusted keys yet">
            <p>
              A signature by an unknown key stays inconclusive. Add the public keys of the wallets, agents, and services
              you trust. Earlier evidence is then verified again.
            </p>
            {add}
          </Empty>
        }
      />
      {adding && <AddTrustedKey close={closeNew} />}
      {revoking && <Revoke trusted={revoking} close={() => setRevoking(null)} />}
    </Page>
  );
}

function stateOf({ revoked_at, not_before, not_after }: TrustedKey): string {
  if (revoked_at !== null) return 'revoked';
  if (not_after !== null && Date.parse(not_after) <= Date.now()) return 'expired';
  return not_before !== null && Date.parse(not_before) > Date.now() ? 'pending' : 'active';
}

function Revoke({ trusted: { kid }, close }: { trusted: TrustedKey; close: () => void }) {
  const { run, busy, problem } = useChange('DELETE /v1/trusted-keys/{kid}');
  return (
    <Confirm
      title="Revoke trusted key"
      button="Revoke trusted key"
      danger
      act={() => run({ params: { kid } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>
        Signatures by <code>{kid}</code> are no longer accepted.
      </p>
    </Confirm>
  );
}
