import { useState } from 'preact/hooks';
import type { DataOf } from '#api/client/call.ts';
import type { PackShare } from '#shared/packs/store/pack_shares.ts';
import type { PackDetail } from '#shared/packs/store/packs.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { CopyBlock } from '#api/dashboard/browser/parts/copy_block.tsx';
import { Form } from '#api/dashboard/browser/parts/form.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

type NewShare = DataOf<'POST /v1/packs/{id}/share'>;

/** The links to a pack, and a way to make one more. */
export function PackShares({ pack: { id, shares } }: { pack: PackDetail }) {
  const { run, busy, problem } = useChange('POST /v1/packs/{id}/share');
  const [days, setDays] = useState('14');
  const [created, setCreated] = useState<NewShare | null>(null);
  const [revoking, setRevoking] = useState<PackShare | null>(null);
  const send = async () => {
    const share = await run({ params: { id }, body: { expires_in_days: Number(days) } });
    if (share) setCreated(share);
  };
  return (
    <>
      <p>Anyone with the link can view the report and download the pack without an account. Views are logged.</p>
      <Form send={send} busy={busy} problem={problem} button="Create link">
        <label class="days">
          Link expires after{' '}
          <input
            type="number"
            min={1}
            max={90}
            step={1}
            required
            value={days}
            onInput={event => setDays(event.currentTarget.value)}
          />{' '}
          days
        </label>
      </Form>
      {created && (
        <div class="note made" role="status">
          <p>
            <strong>Copy the link now. It won’t be shown again.</strong> It expires <Time at={created.expires_at} />.
          </p>
          <CopyBlock text={created.url} label="Share link" button="Copy link" />
        </div>
      )}
      {shares.length > 0 && (
        <Table
          caption="Share links"
          rows={shares}
          idOf={share => share.id}
          columns={[
            { name: 'Link', from: 'middle', show: share => <Copy text={share.id} /> },
            { name: 'State', show: share => <ShareState share={share} /> },
            {
              name: 'Created',
              from: 'middle',
              show: share => (
                <>
                  <Time at={share.created_at} ago /> by <ActorName id={share.created_by} />
                </>
              ),
            },
            { name: 'Views', show: share => <Visits share={share} /> },
            {
              name: 'Revoke',
              unnamed: true,
              align: 'end',
              show: share =>
                stateOf(share) === 'active' && (
                  <button type="button" onClick={() => setRevoking(share)}>
                    Revoke
                  </button>
                ),
            },
          ]}
        />
      )}
      {revoking && <Revoke pack_id={id} share={revoking} close={() => setRevoking(null)} />}
    </>
  );
}

const stateOf = ({ revoked_at, expires_at }: PackShare): 'active' | 'revoked' | 'expired' =>
  revoked_at ? 'revoked' : Date.parse(expires_at) < Date.now() ? 'expired' : 'active';

const ShareState = ({ share }: { share: PackShare }) => (
  <>
    <Badge of={stateOf(share)} />{' '}
    {stateOf(share) === 'active' && (
      <small class="quiet">
        Expires <Time at={share.expires_at} />
      </small>
    )}
  </>
);

function Visits({ share: { visits } }: { share: PackShare }) {
  const [latest] = visits;
  if (!latest) return <span class="quiet">None</span>;
  return (
    <details>
      <summary>{visits.length === 20 ? '20 or more' : countText(visits.length)}</summary>
      <ul class="lines">
        {visits.map(({ what, at, ip, user_agent }) => (
          <li key={at + what}>
            <span>{what === 'page' ? 'Viewed' : 'Downloaded'}</span>
            <Time at={at} />
            <span class="quiet">
              {ip} {user_agent}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Revoke({ pack_id, share, close }: { pack_id: string; share: PackShare; close: () => void }) {
  const { run, busy, problem } = useChange('DELETE /v1/packs/{id}/shares/{share_id}');
  return (
    <Confirm
      title="Revoke link"
      button="Revoke link"
      danger
      act={() => run({ params: { id: pack_id, share_id: share.id } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>The link stops working immediately. Copies already downloaded are not affected. You can’t undo this.</p>
    </Confirm>
  );
}
