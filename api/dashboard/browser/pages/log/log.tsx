import type { Log } from '#shared/ledger/log_answers.ts';
import type { LogKey } from '#shared/ledger/signing_keys.ts';
import { CopyBlock } from '#api/dashboard/browser/parts/copy_block.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { JsonText } from '#api/dashboard/browser/parts/json_text.tsx';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { type Column, Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { Checkpoints } from './checkpoints.tsx';
import { VerifyLog } from './verify_log.tsx';

/** The log of all events: how long it is, what was signed over it, and whether it is still what it was. */
export function LogPage() {
  const known = useReading('GET /v1/log', {});
  return (
    <Page title="Log">
      <Loaded known={known}>
        {log => (
          <>
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

const State = ({ log: { size, analyzed_seq, checkpoint, origin } }: { log: Log }) => (
  <Facts
    of={[
      ['Events', countText(size)],
      [
        'Analyzed',
        size === 0 ? 'nothing yet' : analyzed_seq === size ? 'all of them' : `up to number ${countText(analyzed_seq)}`,
      ],
      ['Signed', checkpoint ? `up to number ${countText(checkpoint.size)}` : 'nothing yet'],
      ['Last signed', checkpoint && <Time at={checkpoint.created_at} ago />],
      ['Name of the log', origin],
    ]}
  />
);

const Newest = ({ log: { checkpoint } }: { log: Log }) => (
  <Section title="Newest checkpoint">
    {checkpoint ? (
      <>
        <p class="quiet">
          The root over all events so far, signed. Keep it somewhere else: with it anybody can tell later that nothing
          before it was changed.
        </p>
        <CopyBlock text={checkpoint.note} label="The newest checkpoint" />
      </>
    ) : (
      <p class="quiet">None yet. One is signed every ten seconds while events arrive.</p>
    )}
  </Section>
);

function Keys() {
  const known = useReading('GET /v1/keys.json', {}, STILL);
  return (
    <Section title="Public keys">
      <p class="quiet">
        They sign checkpoints and packs; the first is the one in use. Compare them with ones you had from elsewhere.
      </p>
      <Loaded known={known}>
        {({ keys }) => (
          <>
            <Table caption="Public keys" columns={columns} rows={keys} idOf={({ kid }) => kid} />
            <details>
              <summary>The keys as JSON, for the verifier</summary>
              <JsonText value={{ keys }} label="Public keys as JSON" />
            </details>
          </>
        )}
      </Loaded>
    </Section>
  );
}

const columns: Column<LogKey>[] = [
  { name: 'Key', show: ({ kid }) => <Copy text={kid} label="the id of the key" whole /> },
  { name: 'Kind', from: 'middle', show: ({ crv }) => crv },
];

const Offline = () => (
  <Section title="Offline verifier">
    <p>
      <a href="/verify.mjs">verify.mjs</a> checks an evidence pack – its files, the events in it, their proofs and the
      signatures – with Node.js and a public key, and asks this service nothing. Its SHA-256 is at{' '}
      <a href="/verify.mjs.sha256">verify.mjs.sha256</a>: get both once, keep them, and compare them with what others
      got.
    </p>
  </Section>
);
