import { useLocation, useRoute } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import type { PackDetail } from '#shared/packs/store/packs.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { bytesText, countText, percentText } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { LIVE, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { kindName, packName } from './pack_kinds.ts';
import { ScopeText } from './pack_scope.tsx';
import { PackShares } from './pack_shares.tsx';

/** While it is built, how far it is changes by the second. */
const WHILE_BUILT = 1_000;

/** One pack: how far it is, what is in it, how to check it, and who can see it. */
export function PackPage() {
  const { id = '' } = useRoute().params;
  const [every, setEvery] = useState(WHILE_BUILT);
  const reading = useReading('GET /v1/packs/{id}', { params: { id } }, every);
  const isBuilt = reading.data !== null && !isComing(reading.data);
  useEffect(() => setEvery(isBuilt ? LIVE : WHILE_BUILT), [isBuilt]);
  return reading.data ? (
    <OnePack key={id} pack={reading.data} />
  ) : (
    <Page title="Pack">
      <Loaded reading={reading}>{() => null}</Loaded>
    </Page>
  );
}

const isComing = ({ state }: PackDetail): boolean => state === 'queued' || state === 'building';

function OnePack({ pack }: { pack: PackDetail }) {
  const [deleting, setDeleting] = useState(false);
  const { id, kind, title, state, progress, scope, redact, error } = pack;
  return (
    <Page
      title={packName(pack)}
      eyebrow={
        <>
          <a href="/packs">Packs</a>
          {title && ` / ${kindName(kind)}`}
        </>
      }
      actions={
        <>
          {state !== 'expired' && !isComing(pack) && (
            <button type="button" class="danger" onClick={() => setDeleting(true)}>
              Delete pack
            </button>
          )}
          {state === 'ready' && (
            <a class="button main" href={`/v1/packs/${id}/download`} download={`${id}.zip`}>
              Download pack
            </a>
          )}
        </>
      }
    >
      {deleting && <Delete pack={pack} close={() => setDeleting(false)} />}
      <div role="status">
        {isComing(pack) && (
          <p class="note totals">
            {state === 'queued' ? 'Queued' : `Building: ${percentText(progress)}`}
            <progress max={1} value={progress} aria-label="Progress" />
          </p>
        )}
      </div>
      {state === 'failed' && (
        <p class="problem">The pack could not be built{error ? `: ${error}` : '.'} Build a new one.</p>
      )}
      {state === 'expired' && (
        <p class="note">This pack has expired. Its files were deleted and its links no longer work.</p>
      )}
      <Facts
        of={[
          ['State', <Badge of={state} />],
          ['About', <ScopeText scope={scope} />],
          ['Report', kindName(kind)],
          ['Events', countText(pack.event_count)],
          ['Size', pack.size_bytes === null ? null : bytesText(pack.size_bytes)],
          ['Redacted', redact.length > 0 ? redact.join(', ') : null],
          [
            'Requested',
            <>
              <Time at={pack.created_at} ago /> by <ActorName id={pack.created_by} />
            </>,
          ],
          ['Expires', pack.expires_at && <Time at={pack.expires_at} />],
          ['SHA-256', pack.sha256 && <Copy text={pack.sha256} label="SHA-256 of the ZIP file" />],
          ['Pack ID', <Copy text={id} />],
        ]}
      />
      {state === 'ready' && (
        <>
          <Section title="Share by link">
            <PackShares pack={pack} />
          </Section>
          <Section title="Verify offline">
            <VerifyOffline id={id} />
          </Section>
        </>
      )}
    </Page>
  );
}

function Delete({ pack, close }: { pack: PackDetail; close: () => void }) {
  const { run, busy, problem } = useChange('DELETE /v1/packs/{id}');
  const { route } = useLocation();
  const act = async () => {
    const done = await run({ params: { id: pack.id } });
    if (done) route('/packs');
    return done;
  };
  return (
    <Confirm
      title={`Delete pack “${packName(pack)}”`}
      button="Delete pack"
      danger
      act={act}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>
        Its files are deleted and its links stop working immediately. Downloaded copies stay valid. The events are not
        affected; you can build the pack again, with a new hash.
      </p>
    </Confirm>
  );
}

/** How anybody checks a pack on a computer of their own. */
const VerifyOffline = ({ id }: { id: string }) => (
  <>
    <p>
      The pack itself proves that its events were recorded in this order and never changed. To verify it, you need
      Node.js 20 or later, the public keys, and the verifier. Download both from here instead of using copies from the
      pack:
    </p>
    <pre class="wrap" tabIndex={0} aria-label="Commands that verify the pack">
      {[
        `curl -sO ${location.origin}/verify.mjs`,
        `curl -s ${location.origin}/v1/keys.json -o keys.json`,
        `node verify.mjs --keys keys.json ${id}.zip`,
      ].join('\n')}
    </pre>
    <p class="quiet">The verifier exits with code 0 if everything is valid, and lists what it cannot prove.</p>
  </>
);
