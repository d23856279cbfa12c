import { useState } from 'preact/hooks';
import type { Mandate } from '#shared/mandates/store/mandates.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

type State = 'active' | 'paused' | 'revoked';

const words: Record<State, { button: string; title: string; text: string }> = {
  paused: {
    button: 'Pause mandate',
    title: 'Pause mandate',
    text: 'While the mandate is paused, payments that name it are breaches. Other payments of the agent are not checked against it.',
  },
  active: {
    button: 'Resume mandate',
    title: 'Resume mandate',
    text: 'Payments of the agent are checked against it again.',
  },
  revoked: {
    button: 'Revoke mandate',
    title: 'Revoke mandate',
    text: 'It no longer allows any payment. You can’t undo this: a revoked mandate cannot be edited or resumed.',
  },
};

/** What can be done with a mandate in its state. */
export function MandateActions({ mandate: { id, state }, edit }: { mandate: Mandate; edit: () => void }) {
  const [target, setTarget] = useState<State | null>(null);
  if (state === 'revoked') return null;
  return (
    <>
      <button type="button" onClick={edit}>
        Edit mandate
      </button>
      <button type="button" onClick={() => setTarget(state === 'paused' ? 'active' : 'paused')}>
        {state === 'paused' ? words.active.button : words.paused.button}
      </button>
      <button type="button" class="danger" onClick={() => setTarget('revoked')}>
        {words.revoked.button}
      </button>
      {target && <ChangeState id={id} state={target} close={() => setTarget(null)} />}
    </>
  );
}

function ChangeState({ id, state, close }: { id: string; state: State; close: () => void }) {
  const { run, busy, problem } = useChange('PATCH /v1/mandates/{id}');
  const { button, title, text } = words[state];
  return (
    <Confirm
      title={title}
      button={button}
      danger={state === 'revoked'}
      act={() => run({ params: { id }, body: { state } })}
      busy={busy}
      problem={problem}
      close={close}
    >
      <p>{text}</p>
    </Confirm>
  );
}
