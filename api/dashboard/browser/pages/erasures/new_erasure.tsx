import { useState } from 'preact/hooks';
import type { DataOf } from '#api/client/call.ts';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Choice, Field, Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { AgentName, OwnerName, PayeeName } from '#api/dashboard/browser/parts/names.tsx';
import { PickInput } from '#api/dashboard/browser/parts/pick_filter.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

const kinds = { payee: 'Payee', owner: 'Owner', agent: 'Agent', payment: 'Payment', evidence: 'Evidence value' };
type Kind = keyof typeof kinds;

/** What is typed where nothing is picked by its name. */
const hints = {
  payment: 'Your payment ID, as its events name it.',
  evidence: 'From the evidence of an event, such as evd_…',
};

/** Counts what would be erased, and erases it once somebody has seen that. */
export function NewErasure({ close }: { close: () => void }) {
  const [kind, setKind] = useState<Kind>('payee');
  const [id, setId] = useState('');
  const [ground, setGround] = useState('');
  const [counted, setCounted] = useState<DataOf<'POST /v1/erasures'> | null>(null);
  const { run, busy, problem } = useChange('POST /v1/erasures');
  const wrong = problem?.at(`/${kind}_id`);
  const request = { [`${kind}_id`]: id.trim(), ground: ground.trim() };
  const send = async () => {
    const answer = await run({ body: { ...request, ...(counted === null && { dry_run: true }) } });
    if (answer === null) return;
    if (counted === null) setCounted(answer);
    else close();
  };
  return (
    <Dialog title="Erase data" close={close}>
      <Form
        send={send}
        busy={busy}
        problem={problem}
        button={counted === null ? 'Count what would be erased' : 'Erase permanently'}
        danger={counted !== null}
        cancel={close}
      >
        {counted === null ? (
          <>
            <Choice
              label="Erase by"
              value={kind}
              set={value => {
                setKind(value as Kind);
                setId('');
              }}
              of={Object.entries(kinds)}
            />
            {kind === 'payment' || kind === 'evidence' ? (
              <TextField
                key={kind}
                label={`${kinds[kind]} ID`}
                hint={hints[kind]}
                problem={wrong}
                value={id}
                set={setId}
                required
                maxLength={255}
              />
            ) : (
              <Field
                key={kind}
                label={kinds[kind]}
                problem={wrong}
                hint={`Search by name, or paste the ID of the ${kind}.`}
              >
                {tie => <PickInput {...tie} of={kind} value={id} set={setId} required />}
              </Field>
            )}
            <TextField
              label="Reason"
              hint="Kept with the erasure. Don’t name the person."
              value={ground}
              set={setGround}
              lines={3}
              required
              maxLength={2_000}
              problem={problem?.at('/ground')}
            />
          </>
        ) : (
          <p>
            {kinds[kind]} <Named kind={kind} id={id.trim()} /> <code>{id.trim()}</code>. To erase:{' '}
            {countText(counted.events)} events, {countText(counted.evidence_values)} evidence values,{' '}
            {countText(counted.names)} names, {countText(counted.packs)} packs and exports,{' '}
            {countText(counted.saved_views)} saved views. Exports by the hour stay as they were written.{' '}
            <strong>It can’t be undone.</strong>
          </p>
        )}
      </Form>
    </Dialog>
  );
}

/** What is erased, by its name. */
const Named = ({ kind, id }: { kind: Kind; id: string }) =>
  kind === 'payee' ? (
    <PayeeName id={id} />
  ) : kind === 'owner' ? (
    <OwnerName id={id} />
  ) : kind === 'agent' ? (
    <AgentName id={id} />
  ) : null;
