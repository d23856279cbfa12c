import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { Mandate } from '#shared/mandates/store/mandates.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { ActorName, AgentName, OwnerName } from '#api/dashboard/browser/parts/names.tsx';
import { Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';
import { constraintText } from './constraint_words.ts';
import { EditMandate } from './edit_mandate.tsx';
import { LimitMeters } from './limit_meters.tsx';
import { MandateActions } from './mandate_actions.tsx';
import { MandatePayments } from './mandate_payments.tsx';
import { MandateVersions } from './mandate_versions.tsx';

/** One mandate: what it allows and how much of that is used, its terms, and how it came to be so. */
export function MandatePage() {
  const { params } = useRoute();
  const id = params['id'] ?? '';
  const reading = useReading('GET /v1/mandates/{id}', { params: { id } });
  const { may } = useSession();
  const [editing, setEditing] = useState(false);
  const mandate = reading.data;
  if (mandate && editing) return <EditMandate mandate={mandate} close={() => setEditing(false)} />;
  return (
    <Page
      title={mandate?.name ?? 'Mandate'}
      eyebrow={<a href="/mandates">Mandates</a>}
      actions={mandate && may('configure') && <MandateActions mandate={mandate} edit={() => setEditing(true)} />}
    >
      <Loaded reading={reading}>{mandate => <Shown mandate={mandate} />}</Loaded>
    </Page>
  );
}

const Shown = ({ mandate }: { mandate: Mandate }) => (
  <>
    <Facts
      of={[
        ['State', <Badge of={mandate.state} />],
        ['Agent', <AgentName id={mandate.agent_id} />],
        ['Owner', <OwnerName id={mandate.owner_id} />],
        ['Starts', mandate.valid_from ? <Time at={mandate.valid_from} /> : 'On creation'],
        ['Expires', mandate.valid_until ? <Time at={mandate.valid_until} /> : 'Never'],
        ['Human approval', mandate.human_presence === 'required' ? 'Required' : 'Not required'],
        ['Version', mandate.version],
        ['Updated', <Time at={mandate.created_at} />],
        [mandate.source === 'ap2' ? 'Source' : 'Updated by', <Origin mandate={mandate} />],
        ['Reference', mandate.external_ref && <Copy text={mandate.external_ref} />],
        ['ID', <Copy text={mandate.id} />],
      ]}
    />
    <Allows mandate={mandate} />
    <MandatePayments id={mandate.id} breaches />
    <MandatePayments id={mandate.id} />
    <MandateVersions id={mandate.id} />
  </>
);

const Origin = ({ mandate: { source, created_by } }: { mandate: Mandate }) =>
  source === 'ap2' ? <>Payment evidence (AP2)</> : <ActorName id={created_by} />;

function Allows({ mandate: { id, version, constraints, signed_constraints } }: { mandate: Mandate }) {
  const use = useReading('GET /v1/mandates/{id}/use', { params: { id } }, 10_000);
  // Of another version the numbers would stand at other constraints.
  const limits = use.data?.version === version ? use.data.limits : [];
  return (
    <Section title="Limits and usage">
      {constraints.length === 0 && (
        <p>No constraints: all payments of the agent are allowed while the mandate is active.</p>
      )}
      <ProblemNote problem={use.problem} />
      <ol class="limits">
        {constraints.map((terms, index) => (
          // Constraints have no name; a change of one is a change of the list.
          <li key={index}>
            <p>
              {constraintText(terms as ConstraintTerms)} <small class="quiet">{wordsOf(terms.type)}</small>
            </p>
            <LimitMeters limits={limits.filter(({ constraint }) => constraint === index)} />
          </li>
        ))}
      </ol>
      {signed_constraints && (
        <details>
          <summary>Signed constraints</summary>
          <pre class="wrap" tabIndex={0}>
            {JSON.stringify(signed_constraints, null, 2)}
          </pre>
        </details>
      )}
    </Section>
  );
}
