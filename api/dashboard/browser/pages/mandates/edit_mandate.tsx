import { changeMandate, type Mandate, type MandateChange } from '#api/client/generated.ts';
import { Page } from '../../parts/page.tsx';
import { useChange } from '../../reading/use_change.ts';
import { type MandateDraft, MandateForm } from './mandate_form.tsx';

/** Changes a mandate: what is sent is what was changed, and makes a new version. */
export function EditMandate({ mandate, close }: { mandate: Mandate; close: () => void }) {
  const { run, busy, problem } = useChange(changeMandate);
  const send = async (draft: MandateDraft) => {
    const mandateChange = changesOf(mandate, draft);
    if (Object.keys(mandateChange).length === 0 || (await run({ id: mandate.id, mandateChange }))) close();
  };
  return (
    <Page title={`Edit ${mandate.name}`} eyebrow={<a href="/mandates">Mandates</a>}>
      {mandate.source === 'ap2' && (
        <p class="note">
          This mandate stands as it was signed. Its name can be changed, and whether a person has to be present.
        </p>
      )}
      <MandateForm
        of={mandate}
        send={send}
        busy={busy}
        problem={problem}
        button="Make this the new version"
        cancel={close}
      />
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
