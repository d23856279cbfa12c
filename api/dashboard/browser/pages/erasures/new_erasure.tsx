import { useState } from 'preact/hooks';
import type { DataOf } from '#api/client/call.ts';
import { Dialog } from '#api/dashboard/browser/parts/dialog.tsx';
import { Choice, Form, TextField } from '#api/dashboard/browser/parts/form.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

const kinds = { payee: 'Payee', owner: 'Owner', agent: 'Agent', payment: 'Payment', evidence: 'Evidence value' };
type Kind = keyof typeof kinds;

/** Counts what would be erased, and erases it once somebody has seen that. */
export function NewErasure({ close }: { close: () => void }) {
  const [kind, setKind] = useState<Kind>('payee');
  const [id, setId] = useState('');
  const [ground, setGround] = useState('');
  const [counted, setCounted] = useState<DataOf<'POST /v1/erasures'> | null>(null);
  const { run, busy, problem } = useChange('POST /v1/erasures');
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
            <Choice label="Erase by" value={kind} set={value => setKind(value as Kind)} of={Object.entries(kinds)} />
            <TextField
              label="ID"
              value={id}
              set={setId}
              required
              maxLength={255}
              problem={problem?.at(`/${kind}_id`)}
            />
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
            To erase: {countText(counted.events)} events, {countText(counted.evidence_values)} evidence values,{' '}
            {countText(counted.names)} names, {countText(counted.packs)} packs and exports,{' '}
            {countText(counted.saved_views)} saved views. Exports by the hour stay as they were written.{' '}
            <strong>It can’t be undone.</strong>
          </p>
        )}
      </Form>
    </Dialog>
  );
}
