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
    <Section title="Its place in the log">
      <Facts
        of={[
          ['Number in the log', countText(event.chain_seq)],
          ['Digest of the event', <Copy text={event.event_digest} label="the digest" />],
          ['Hash of its leaf', <Copy text={event.leaf_hash} label="the leaf hash" />],
          ['Checkpoint', proof.data && `of ${countText(proof.data.tree_size)} events`],
          ['Signed', proof.data && <Time at={proof.data.checkpoint.created_at} />],
        ]}
      />
      {covered ? (
        <Loaded known={proof}>{data => <Proof event={event} proof={data} />}</Loaded>
      ) : (
        <p class="quiet">No checkpoint covers the event yet; one is signed every ten seconds while events arrive.</p>
      )}
    </Section>
  );
}

type Checked = { steps: ProofStep[] } | { impossible: string };

async function checkHere(event: EventDetail, proof: InclusionProof, keys: LogKey[]): Promise<Checked> {
  if (!isSecureContext)
    return { impossible: 'Your browser computes hashes only over HTTPS, or on the machine the service runs on.' };
  try {
    return { steps: await checkProof(event, proof, keys) };
  } catch {
    return { impossible: 'What the service sent as a proof cannot be read.' };
  }
}

function Proof({ event, proof }: { event: EventDetail; proof: InclusionProof }) {
  const { data: keys } = useReading('GET /v1/keys.json', {}, STILL);
  const [checked, setChecked] = useState<Checked | null>(null);
  useEffect(() => {
    if (!keys) return undefined;
    let current = true;
    void checkHere(event, proof, keys.keys).then(found => {
      if (current) setChecked(found);
      return undefined;
    });
    return () => {
      current = false;
    };
  }, [event, proof, keys]);
  return (
    <>
      {checked === null ? (
        <p class="quiet loading">Computing…</p>
      ) : 'impossible' in checked ? (
        <p class="note">Not checked here. {checked.impossible}</p>
      ) : (
        <Found steps={checked.steps} hasEvidence={event.evidence.length > 0} />
      )}
      <details>
        <summary>The inclusion proof and the checkpoint as JSON</summary>
        <JsonText value={proof} label="Inclusion proof" />
      </details>
    </>
  );
}

const Found = ({ steps, hasEvidence }: { steps: ProofStep[]; hasEvidence: boolean }) => (
  <div class="card proof">
    <p>
      <strong>{headlineOf(steps)}</strong>
    </p>
    <ol class="steps">
      {steps
        .filter(({ name }) => hasEvidence || name !== 'evidence')
        .map(({ name, holds }) => (
          <li key={name}>
            <Badge
              of={holds === null ? 'skip' : holds ? 'pass' : 'fail'}
              label={holds === null ? 'Not done' : holds ? 'Holds' : 'Does not hold'}
            />
            <span>
              {words[name]}
              {holds === null && ' This browser does not know Ed25519.'}
            </span>
          </li>
        ))}
    </ol>
    <p class="quiet">
      It shows that the event as it was sent, which stands below as JSON, is what the checkpoint was signed over, so it
      was not changed since. It does not show that the report was true, nor that everybody is shown the same log: for
      that, compare the checkpoint with one kept elsewhere. This page comes from the service itself; to rely on nothing
      of it, have a pack built and check it with the <a href="/log">offline verifier</a>.
    </p>
  </div>
);

function headlineOf(steps: ProofStep[]): string {
  if (steps.some(({ holds }) => holds === false))
    return 'The proof does not hold. Tell whoever runs the service, and keep this page.';
  return steps.every(({ holds }) => holds)
    ? 'This event is in the log: computed here, in your browser.'
    : 'This event is under the root of the checkpoint: computed here, in your browser, all but the signature.';
}

const words: Record<ProofStep['name'], string> = {
  evidence: 'Each piece of evidence has the SHA-256 that the event names for it.',
  event: 'The SHA-256 of the event as it was sent, its number and its arrival are what its leaf says.',
  leaf: 'The leaf has the hash that the log has for it.',
  path: 'From the leaf, the hashes of the path lead to the root of the checkpoint.',
  root: 'The note that was signed is about this root and this number of events.',
  signature: 'The note is signed by a key that the service publishes.',
};
