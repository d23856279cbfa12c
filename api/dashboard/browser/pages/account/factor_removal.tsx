import { useState } from 'preact/hooks';
import type { Passkey } from '#shared/people/second_factors.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

/** The passkeys one has, each of which can be removed. */
export function Passkeys({ of }: { of: Passkey[] }) {
  const [removing, setRemoving] = useState<Passkey | null>(null);
  if (of.length === 0) return null;
  const columns: Column<Passkey>[] = [
    { name: 'Passkey', show: ({ name }) => name },
    { name: 'Added', show: ({ created_at }) => <Time at={created_at} ago />, from: 'middle' },
    {
      name: 'Last used',
      show: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} ago /> : <span class="quiet">Never</span>),
    },
    {
      name: 'Remove',
      unnamed: true,
      align: 'end',
      show: passkey => (
        <button
          type="button"
          class="plain"
          aria-label={`Remove passkey ${passkey.name}`}
          onClick={() => setRemoving(passkey)}
        >
          Remove
        </button>
      ),
    },
  ];
  return (
    <div class="after-table">
      <Table caption="Your passkeys" columns={columns} rows={of} idOf={({ id }) => id} />
      {removing && <RemovePasskey passkey={removing} close={() => setRemoving(null)} />}
    </div>
  );
}

function RemovePasskey({ passkey: { id, name }, close }: { passkey: Passkey; close: () => void }) {
  const { run, busy, problem } = useChange('DELETE /v1/second-factor/passkeys/{id}');
  return (
    <Confirm
      title={`Remove passkey “${name}”`}
      button="Remove"
      danger
      act={() => run({ params: { id } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>Your other sessions end. The device keeps the passkey, but it no longer works here.</p>
    </Confirm>
  );
}

/** Removes the authenticator app. */
export function RemoveTotp({ close }: { close: () => void }) {
  const { run, busy, problem } = useChange('DELETE /v1/second-factor/totp');
  return (
    <Confirm
      title="Remove authenticator app"
      button="Remove"
      danger
      act={() => run({})}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>Your other sessions end. Codes from the app stop working.</p>
    </Confirm>
  );
}
