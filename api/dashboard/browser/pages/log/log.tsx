import type { Log } from '#shared/ledger/log_answers.ts';
import type { FailedVerification } from '#shared/ledger/verify/noted.ts';
import type { LogKey } from '#shared/ledger/signing_keys.ts';
import { CopyBlock } from '#api/dashboard/browser/parts/copy_block.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { JsonText } from '#api/dashboard/browser/parts/json_text.tsx';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { Checkpoints } from './checkpoints.tsx';
import { VerifyLog } from './verify_log.tsx';

/** The log of all events: how long it is, what was signed over it, and whether it is still what it was. */
export function LogPage() {
  const reading = useReading('GET /v1/log', {});
  return (
    <Page title="Log">
      <Loaded reading={reading}>
        {log => (
          <>
            {log.last_failed && <LastFailed of={log.last_failed} />}
            <State log={log} />
            <VerifyLog size={log.size} />
            <Newest log={log} />
            <Checkpoints />
            <Keys />
            <Offline />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const State = ({ log: { size, analyzed_seq, archived_seq, checkpoint, last_verified, origin } }: { log: Log }) => (
  <Facts
    of={[
      ['Events', countText(size)],
      ['Analyzed', size === 0 ? 'Not yet' : analyzed_seq === size ? 'All' : `Up to number ${countText(analyzed_seq)}`],
      ['Signed', checkpoint ? `Up to number ${countText(checkpoint.size)}` : 'Not yet'],
      ['Archived', archived_seq > 0 ? `Up to number ${countText(archived_seq)}` : null],
      ['Last signed', checkpoint && <Time at={checkpoint.created_at} ago />],
      ['Last verified', last_verified ? <LastVerified of={last_verified} /> : 'Never'],
      ['Log name', <span class="wide">{origin}</span>],
    ]}
  />
);

const LastVerified = ({ of: { at, by, from_seq, to_seq, ok } }: { of: NonNullable<Log['last_verified']> }) => (
  <>
    <Time at={at} ago /> by <ActorName id={by} />: {ok ? 'intact' : <strong class="wrong">failed</strong>},{' '}
    {from_seq === 1 ? `up to number ${countText(to_seq)}` : `numbers ${countText(from_seq)} to ${countText(to_seq)}`}
  </>
);

/** A failure is told, whatever was verified since, until the same events are found intact. */
const LastFailed = ({ of: { at, by, from_seq, to_seq, first_bad_seq, reason } }: { of: FailedVerification }) => (
  <div class="problem">
    <p>
      <strong>Log failed verification{first_bad_seq !== null && ` at number ${countText(first_bad_seq)}`}</strong>{' '}
      {reason}
    </p>
    <p>
      Verified <Time at={at} ago /> by <ActorName id={by} />, numbers {countText(from_seq)} to {countText(to_seq)}. This
      stays until these events are found intact. Contact your operator, and keep your copies of checkpoints.
    </p>
  </div>
);

const Newest = ({ log: { checkpoint } }: { log: Log }) => (
  <Section title="Latest checkpoint">
    {checkpoint ? (
      <>
        <p class="quiet">
          The signed root over all events so far. Store a copy elsewhere: with it, anyone can verify later that no
          earlier event was changed.
        </p>
        <CopyBlock text={checkpoint.note} label="Signed note" />
      </>
    ) : (
      <p class="quiet">None yet. One is signed every ten seconds while events arrive.</p>
    )}
  </Section>
);

function Keys() {
  const reading = useReading('GET /v1/keys.json', {}, STILL);
  return (
    <Section title="Public keys">
      <p class="quiet">
        These keys sign checkpoints and packs. The first one is in use. Compare them with a copy from another source.
      </p>
      <Loaded reading={reading}>
        {({ keys }) => (
          <>
            <Table caption="Public keys" columns={columns} rows={keys} idOf={({ kid }) => kid} />
            <details>
              <summary>Keys as JSON, for the verifier</summary>
              <JsonText value={{ keys }} label="Public keys as JSON" />
            </details>
          </>
        )}
      </Loaded>
    </Section>
  );
}

const columns: Column<LogKey>[] = [
  { name: 'Key', show: ({ kid }) => <Copy text={kid} label="key ID" whole /> },
  { name: 'Type', from: 'middle', show: ({ crv }) => crv },
];

const Offline = () => (
  <Section title="Offline verifier">
    <p>
      <a href="/verify.mjs">verify.mjs</a> verifies the files, events, proofs, and signatures of a pack with Node.js and
      a public key, without contacting this service. Its SHA-256 is at{' '}
      <a href="/verify.mjs.sha256">verify.mjs.sha256</a>. Download both once, store them, and compare them with other
      copies.
    </p>
  </Section>
);
