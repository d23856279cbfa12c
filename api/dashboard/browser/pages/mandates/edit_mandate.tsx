import { useState } from 'preact/hooks';
import type { BodyOf } from '#api/client/call.ts';
import type { Mandate } from '#shared/mandates/store/mandates.ts';
import { Page } from '#api/dashboard/browser/parts/page.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import type { MandateDraft } from './mandate_draft.ts';
import { MandateForm } from './mandate_form.tsx';

type MandateChange = BodyOf<'PATCH /v1/mandates/{id}'>;

/** Changes a mandate: what is sent is what was changed here since it was opened, and makes a new version. */
export function EditMandate({ mandate, close }: { mandate: Mandate; close: () => void }) {
  const [opened] = useState(mandate);
  const { run, busy, problem } = useChange('PATCH /v1/mandates/{id}');
  const send = async (draft: MandateDraft) => {
    const mandateChange = changesOf(opened, draft);
    if (Object.keys(mandateChange).length === 0 || (await run({ params: { id: mandate.id }, body: mandateChange })))
      close();
  };
  return (
    <Page title={`Edit ${mandate.name}`} eyebrow={<a href="/mandates">Mandates</a>}>
      {mandate.source === 'ap2' && (
        <p class="note">
          This mandate was signed elsewhere. You can change its name and whether human approval is required.
        </p>
      )}
      {mandate.version !== opened.version && !busy && (
        <p class="note" role="status">
          Version {mandate.version} was saved while you were editing. Your changes will apply to that version.
        </p>
      )}
      <MandateForm of={opened} send={send} busy={busy} problem={problem} button="Save changes" cancel={close} />
    </Page>
  );
}

const members = ['name', 'human_presence', 'valid_from', 'valid_until', 'external_ref', 'constraints'] as const;

const changesOf = (mandate: Mandate, draft: MandateDraft): MandateChange =>
  Object.fromEntries(
    members
      .filter(member => JSON.stringify(draft[member]) !== JSON.stringify(mandate[member]))
      .map(member => [member, draft[member]]),
  );
