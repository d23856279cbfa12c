import { useLocation } from 'preact-iso';
import type { BodyOf } from '#api/client/call.ts';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import type { MandateDraft } from './mandate_draft.ts';
import { MandateForm } from './mandate_form.tsx';

type NewConstraint = NonNullable<BodyOf<'POST /v1/mandates'>['constraints']>[number];

/** Writes a new mandate. */
export function NewMandate() {
  const { route } = useLocation();
  const { query } = useQuery();
  const { me, may } = useSession();
  const { run, busy, problem } = useChange('POST /v1/mandates');
  const send = async ({ constraints, ...draft }: MandateDraft) => {
    const made = await run({ body: { ...draft, constraints: constraints as NewConstraint[] } });
    if (made) route(`/mandates/${made.id}`, true);
  };
  if (!may('configure'))
    return (
      <Page title="New mandate" eyebrow={<a href="/mandates">Mandates</a>}>
        <Empty title={`Only admins and owners can create mandates in ${me.environment}.`}>
          <p>Your role is {wordsOf(me.role)}.</p>
        </Empty>
      </Page>
    );
  return (
    <Page title="New mandate" eyebrow={<a href="/mandates">Mandates</a>}>
      <MandateForm
        {...(query['agent_id'] && { agent_id: query['agent_id'] })}
        send={send}
        busy={busy}
        problem={problem}
        button="Activate mandate"
        cancel={() => route('/mandates')}
      />
    </Page>
  );
}
