import { useState } from 'preact/hooks';
import type { Agent } from '#shared/events/parties/agent_records.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';

/** What people sort the agent by: to be added and taken away by whoever may. */
export function AgentLabels({ agent: { id, labels } }: { agent: Agent }) {
  const { may } = useSession();
  const { run, busy, problem } = useChange('POST /v1/agents/{id}/labels');
  const [text, setText] = useState('');
  if (!may('configure'))
    return labels.length > 0 ? (
      <>
        {labels.map(label => (
          <Label key={label} label={label} />
        ))}
      </>
    ) : (
      <>None</>
    );
  const add = async () => {
    const label = text.trim().toLowerCase();
    if (label && (await run({ params: { id }, body: { add: [label] } }))) setText('');
  };
  return (
    <div class="labels">
      {labels.map(label => (
        <span key={label}>
          <Label label={label} />
          <button
            type="button"
            class="plain tiny"
            aria-label={`Remove label ${label}`}
            disabled={busy}
            onClick={() => void run({ params: { id }, body: { remove: [label] } })}
          >
            ✕
          </button>
        </span>
      ))}
      <form
        onSubmit={event => {
          event.preventDefault();
          void add();
        }}
      >
        <input
          aria-label="New label"
          placeholder="procurement"
          value={text}
          maxLength={64}
          onInput={event => setText(event.currentTarget.value)}
        />
        <button disabled={busy || text.trim() === ''}>Add label</button>
      </form>
      <ProblemNote problem={problem} />
    </div>
  );
}

const Label = ({ label }: { label: string }) => <Badge of="label" label={label} />;
