import { useState } from 'preact/hooks';
import type { Mandate } from '#shared/mandates/store/mandates.ts';
import { Field, Form, TextField, Tick } from '#api/dashboard/browser/parts/form.tsx';
import { PickInput } from '#api/dashboard/browser/parts/pick_filter.tsx';
import { Section } from '#api/dashboard/browser/parts/page.tsx';
import { LocalTimeField } from '#api/dashboard/browser/parts/time_field.tsx';
import type { Problem } from '#api/dashboard/browser/reading/problem.ts';
import { useRecord } from '#api/dashboard/browser/reading/use_record.ts';
import { ConstraintBuilder } from './constraint_builder.tsx';
import type { MandateDraft } from './mandate_draft.ts';
import { MandateSentence } from './mandate_sentence.tsx';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';

/** Writes a mandate: a new one, or what `of` says already. Of one that was signed elsewhere only what the signature does not cover. */
export function MandateForm({
  of,
  agent_id = '',
  send,
  busy,
  problem,
  button,
  cancel,
}: {
  of?: Mandate;
  agent_id?: string;
  send: (draft: MandateDraft) => Promise<unknown>;
  busy: boolean;
  problem: Problem | null;
  button: string;
  cancel: () => void;
}) {
  const [draft, setDraft] = useState<MandateDraft>(() => (of ? draftOf(of) : { ...blank, agent_id }));
  const put = (changed: Partial<MandateDraft>) => setDraft(now => ({ ...now, ...changed }));
  const signed = of?.source === 'ap2';
  return (
    <Form
      send={() => send({ ...draft, name: draft.name.trim() })}
      busy={busy}
      problem={problem}
      button={button}
      cancel={cancel}
    >
      {!of && <Agent draft={draft} put={put} problem={problem} />}
      <TextField
        label="Name"
        value={draft.name}
        set={name => put({ name })}
        required
        maxLength={200}
        placeholder="Office supplies"
        problem={problem?.at('/name')}
      />
      {!signed && (
        <div class="field-row">
          <LocalTimeField
            label="Starts (optional)"
            hint="Leave blank to start now. With a past date, earlier payments count too."
            at={draft.valid_from}
            set={valid_from => put({ valid_from })}
            problem={problem?.at('/valid_from')}
          />
          <LocalTimeField
            label="Expires (optional)"
            hint="Leave blank for no expiration."
            at={draft.valid_until}
            set={valid_until => put({ valid_until })}
            problem={problem?.at('/valid_until')}
          />
        </div>
      )}
      {!of && (
        <Tick
          label="Include this month’s earlier payments"
          hint="Starts on the first of the month (UTC). Payments since then count toward the limits and are evaluated."
          value={draft.valid_from === monthStart()}
          set={on => put({ valid_from: on ? monthStart() : null })}
        />
      )}
      <Tick
        label="Require human approval"
        value={draft.human_presence === 'required'}
        set={on => put({ human_presence: on ? 'required' : 'not_required' })}
      />
      {!signed && (
        <TextField
          label="Reference (optional)"
          hint="A number or name from your own system."
          value={draft.external_ref ?? ''}
          set={text => put({ external_ref: text.trim() || null })}
          maxLength={200}
          problem={problem?.at('/external_ref')}
        />
      )}
      {!signed && (
        <Section title="Constraints">
          <ConstraintBuilder
            value={draft.constraints}
            set={change => setDraft(now => ({ ...now, constraints: change(now.constraints) }))}
            problem={problem}
          />
        </Section>
      )}
      <MandateSentence draft={draft} isNew={!of} />
    </Form>
  );
}

/** The beginning of this month (UTC), as RFC 3339. */
function monthStart(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString();
}

const blank: MandateDraft = {
  agent_id: '',
  name: '',
  human_presence: 'not_required',
  valid_from: null,
  valid_until: null,
  external_ref: null,
  constraints: [],
};

const draftOf = ({ agent_id, name, human_presence, valid_from, valid_until, external_ref, constraints }: Mandate) => ({
  agent_id,
  name,
  human_presence,
  valid_from,
  valid_until,
  external_ref,
  constraints: constraints as ConstraintTerms[],
});

/** Whose mandate it is: an agent that was seen, or one that was not, with its owner. */
function Agent({
  draft: { agent_id, owner_id },
  put,
  problem,
}: {
  draft: MandateDraft;
  put: (changed: Partial<MandateDraft>) => void;
  problem: Problem | null;
}) {
  const isUnseen = useRecord('GET /v1/agents', agent_id || null) === null;
  return (
    <>
      <Field label="Agent" hint="Search by name, or paste an agent ID." problem={problem?.at('/agent_id')}>
        {tie => <PickInput {...tie} of="agent" value={agent_id} set={id => put({ agent_id: id })} required />}
      </Field>
      {isUnseen && (
        <Field
          label="Owner"
          hint="This agent has not paid yet. Search its owner by name, or paste an owner ID."
          problem={problem?.at('/owner_id')}
        >
          {tie => (
            <PickInput
              {...tie}
              of="owner"
              value={owner_id ?? ''}
              set={id => put({ owner_id: id || undefined })}
              required
            />
          )}
        </Field>
      )}
    </>
  );
}
