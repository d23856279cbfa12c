import { useRef, useState } from 'preact/hooks';
import { Choice } from '#api/dashboard/browser/parts/form.tsx';
import { JsonField } from '#api/dashboard/browser/parts/json_field.tsx';
import type { Problem } from '#api/dashboard/browser/reading/problem.ts';
import { ConstraintCard } from './constraint_card.tsx';
import { kindWords, wordsOfKind } from '#shared/mandates/kinds/index.ts';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';

/** The constraints of a mandate that is written: one card each, or all of them as JSON. */
export function ConstraintBuilder({
  value,
  set,
  problem,
}: {
  value: ConstraintTerms[];
  set: (change: (now: ConstraintTerms[]) => ConstraintTerms[]) => void;
  problem: Problem | null;
}) {
  const [asJson, setAsJson] = useState(false);
  const [chosen, setChosen] = useState(kindWords[0]?.type ?? '');
  // A card keeps what is typed in it, so each has a name of its own that removing another does not change.
  const names = useRef<number[]>([]);
  const next = useRef(0);
  while (names.current.length < value.length) names.current.push(next.current++);
  names.current.length = value.length;
  const add = () => {
    const kind = wordsOfKind(chosen);
    if (kind) set(now => [...now, { ...structuredClone(kind.initial), type: kind.type }]);
  };
  const remove = (index: number) => {
    names.current.splice(index, 1);
    set(now => now.filter((_, at) => at !== index));
  };
  return (
    <div class="form constraints">
      {asJson ? (
        <JsonField
          label="Constraints as JSON"
          value={value}
          set={next => set(() => next)}
          is={isList}
          wrong="Enter a JSON array of constraints, each an object with a type."
          lines={20}
        />
      ) : (
        value.map((terms, index) => (
          <ConstraintCard
            key={names.current[index]}
            index={index}
            terms={terms}
            set={change => set(now => now.map((other, at) => (at === index ? change(other) : other)))}
            remove={() => remove(index)}
            problem={problem}
          />
        ))
      )}
      {value.length === 0 && !asJson && (
        <p class="note">Without constraints, the mandate allows all payments of the agent while it is active.</p>
      )}
      <div class="actions add">
        {!asJson && (
          <>
            <Choice
              label="Constraint"
              value={chosen}
              set={setChosen}
              of={kindWords.map(({ type, name }) => [type, name])}
            />
            <button type="button" onClick={add}>
              Add constraint
            </button>
          </>
        )}
        <button
          type="button"
          class="plain"
          aria-pressed={asJson}
          onClick={() => {
            names.current = [];
            setAsJson(!asJson);
          }}
        >
          {asJson ? 'Edit all as fields' : 'Edit all as JSON'}
        </button>
      </div>
    </div>
  );
}

const isList = (value: unknown): value is ConstraintTerms[] =>
  Array.isArray(value) && value.every(item => typeof (item as { type?: unknown } | null)?.type === 'string');
