import { useEffect, useState } from 'preact/hooks';
import type { EventDetail } from '#shared/events/log/events.ts';
import type { InclusionProof } from '#shared/ledger/log_answers.ts';
import type { LogKey } from '#shared/ledger/signing_keys.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { JsonText } from '#api/dashboard/browser/parts/json_text.tsx';
import { Facts, Loaded, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { checkProof, type ProofStep } from './log_proof.ts';

/** Where the event stands in the log, and the proof of it, computed in the browser. */
export function LogPlace({ event }: { event: EventDetail }) {
  const log = useReading('GET /v1/log', {});
  const covered = (log.data?.checkpoint?.size ?? 0) >= event.chain_seq;
  const proof = useReading('GET /v1/log/proof', covered ? { query: { event_id: event.id } } : null, STILL);
  return (
    <Section title="Log inclusion">
      <Facts
        of={[
          ['Log number', countText(event.chain_seq)],
          ['Event digest', <Copy text={event.event_digest} label="event digest" />],
          ['Leaf hash', <Copy text={event.leaf_hash} label="leaf hash" />],
          ['Checkpoint', proof.data && `${countText(proof.data.tree_size)} events`],
          ['Signed', proof.data && <Time at={proof.data.checkpoint.created_at} />],
        ]}
      />
      {covered ? (
        <Loaded reading={proof}>{data => <Proof event={event} proof={data} />}</Loaded>
      ) : (
        <p class="quiet">No checkpoint covers this event yet. One is signed every ten seconds while events arrive.</p>
      )}
    </Section>
  );
}

type Checked = { steps: ProofStep[] } | { impossible: string };

async function checkHere(event: EventDetail, proof: InclusionProof, keys: LogKey[]): Promise<Checked> {
  if (!isSecureContext)
    return { impossible: 'Open this page over HTTPS or on localhost to verify it in your browser.' };
  try {
    return { steps: await checkProof(event, proof, keys) };
  } catch {
    return { impossible: 'The proof could not be read.' };
  }
}

function Proof({ event, proof }: { event: EventDetail; proof: InclusionProof }) {
  const { data: keys } = useReading('GET /v1/keys.json', {}, STILL);
  const [checked, setChecked] = useState<Checked | null>(null);
  useEffect(() => {
    if (!keys) return undefined;
    let current = true;
    void checkHere(event, proof, keys.keys).then(result => {
      if (current) setChecked(result);
      return undefined;
    });
    return () => {
      current = false;
    };
  }, [event, proof, keys]);
  return (
    <>
      {checked === null ? (
        <p class="quiet loading">Verifying…</p>
      ) : 'impossible' in checked ? (
        <p class="note">Not verified here {checked.impossible}</p>
      ) : (
        <Found steps={checked.steps} event={event} />
      )}
      <details>
        <summary>Inclusion proof and checkpoint as JSON</summary>
        <JsonText value={proof} label="Inclusion proof" />
      </details>
    </>
  );
}

const Found = ({ steps, event }: { steps: ProofStep[]; event: EventDetail }) => (
  <div class="card proof">
    <p>
      <strong>{headlineOf(steps)}</strong>
    </p>
    <ol class="steps">
      {steps
        .filter(({ name }) => event.evidence.length > 0 || name !== 'evidence')
        .map(({ name, holds }) => (
          <li key={name}>
            <Badge
              of={holds === null ? 'skip' : holds ? 'pass' : 'fail'}
              label={holds === null ? 'Not checked' : holds ? 'Valid' : 'Failed'}
            />
            <span>
              {words[name]}
              {holds === null && ' This browser does not support Ed25519.'}
            </span>
          </li>
        ))}
    </ol>
    <p class="quiet">
      {event.erasure === null
        ? 'This proves that the original event below is covered by the signed checkpoint and was not changed since.'
        : 'This proves that the event had this digest when the checkpoint was signed, and that an erasure left what is shown below.'}{' '}
      It does not prove that the report is true, or that everyone sees the same log: for that, compare the checkpoint
      with a copy kept elsewhere. This page is served by the service itself. To verify without trusting it, build a pack
      and use the <a href="/log">offline verifier</a>.
    </p>
  </div>
);

function headlineOf(steps: ProofStep[]): string {
  if (steps.some(({ holds }) => holds === false))
    return 'The proof failed verification. Contact your operator, and keep this page.';
  return steps.every(({ holds }) => holds)
    ? 'Verified in your browser: this event is in the log.'
    : 'Verified in your browser, except for the signature: this event is covered by the checkpoint.';
}

const words: Record<ProofStep['name'], string> = {
  erasure: 'The event was erased. Its digest and what is left of it are signed with a published key of the service.',
  evidence: 'Evidence matches the SHA-256 values in the event.',
  event: 'The leaf matches the event’s SHA-256, log number, and arrival time.',
  leaf: 'The leaf hash matches the log.',
  path: 'The inclusion path leads from the leaf to the checkpoint’s root.',
  root: 'The signed note states this root and number of events.',
  signature: 'The note is signed with a published key of the service.',
};
