import { useState } from 'preact/hooks';
import type { Mandate } from '#shared/mandates/store/mandates.ts';
import { Confirm } from '#api/dashboard/browser/parts/confirm.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';

type State = 'active' | 'paused' | 'revoked';

const words: Record<State, { button: string; title: string; text: string }> = {
  paused: {
    button: 'Pause',
    title: 'Pause this mandate',
    text: 'Until it is resumed, a payment that names it is a breach, and others of the agent are not held against it.',
  },
  active: {
    button: 'Resume',
    title: 'Resume this mandate',
    text: 'From now on payments of the agent are held against it again.',
  },
  revoked: {
    button: 'Revoke',
    title: 'Revoke this mandate',
    text: 'It allows nothing any more. This is final: a revoked mandate can be neither changed nor resumed.',
  },
};

/** What can be done with a mandate in its state. */
export function MandateActions({ mandate: { id, state }, edit }: { mandate: Mandate; edit: () => void }) {
  const [asked, setAsked] = useState<State | null>(null);
  if (state === 'revoked') return null;
  return (
    <>
      <button type="button" onClick={edit}>
        Edit
      </button>
      <button type="button" onClick={() => setAsked(state === 'paused' ? 'active' : 'paused')}>
        {state === 'paused' ? words.active.button : words.paused.button}
      </button>
      <button type="button" class="danger" onClick={() => setAsked('revoked')}>
        {words.revoked.button}
      </button>
      {asked && <ChangeState id={id} state={asked} close={() => setAsked(null)} />}
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
