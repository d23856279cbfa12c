import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from './format.ts';
import { typeOf } from './form.tsx';
import { localOf, utcOf } from './time_field.tsx';
import { useQuery } from './use_query.ts';
import { useScreen } from './use_screen.ts';

/** What a list can be filtered by, by the name that its address and the API have for it. */
export type Filter =
  /** `none`: what holds where nothing is chosen, by default anything. `names`: what is shown for a value that is no word. */
  | {
      name: string;
      label: string;
      kind: 'choice';
      of: readonly string[];
      none?: string;
      names?: Record<string, string>;
    }
  | { name: string; label: string; kind: 'search' | 'text' | 'time'; hint?: string };

/** On narrower screens the filters are folded away: there they would fill half of it. */
const ROOM_FOR_FILTERS = 761;

/** The filters of a list; each change stands in the address at once. */
export function Filters({ of }: { of: Filter[] }) {
  const { query } = useQuery();
  const isWide = useScreen(ROOM_FOR_FILTERS);
  const some = of.filter(({ name }) => query[name]).length;
  if (isWide) return <FilterForm of={of} some={some > 0} />;
  return (
    <details class="folded">
      <summary>{some === 0 ? 'Filters' : `Filters: ${some}`}</summary>
      <FilterForm of={of} some={some > 0} />
    </details>
  );
}

function FilterForm({ of, some }: { of: Filter[]; some: boolean }) {
  const { query, set, clear } = useQuery();
  return (
    <form class="filters" role="search" onSubmit={event => event.preventDefault()}>
      {of.map(filter =>
        filter.kind === 'choice' ? (
          <label key={filter.name}>
            <span>{filter.label}</span>
            <select
              value={query[filter.name] ?? ''}
              onChange={event => set({ [filter.name]: event.currentTarget.value })}
            >
              <option value="">{filter.none ?? 'Any'}</option>
              {filter.of.map(value => (
                <option key={value} value={value}>
                  {filter.names?.[value] ?? wordsOf(value)}
                </option>
              ))}
            </select>
          </label>
        ) : filter.kind === 'time' ? (
          <label key={filter.name}>
            <span>{filter.label}</span>
            <input
              type="datetime-local"
              value={localOf(query[filter.name] ?? '')}
              onChange={event => set({ [filter.name]: utcOf(event.currentTarget.value) })}
            />
          </label>
        ) : (
          <Typed key={filter.name} filter={filter} value={query[filter.name] ?? ''} set={set} />
        ),
      )}
      {some && (
        <button type="button" class="plain" onClick={clear}>
          Clear filters
        </button>
      )}
    </form>
  );
}

/** Waits until typing pauses. */
function Typed({
  filter,
  value,
  set,
}: {
  filter: Extract<Filter, { kind: 'search' | 'text' | 'time' }>;
  value: string;
  set: (changed: Record<string, string>) => void;
}) {
  const [text, setText] = useState(value);
  const timer = useRef<number | undefined>(undefined);
  const sent = useRef(value);
  useEffect(() => {
    // What comes back of what was typed here has lost a space at its end, and may be behind by a letter.
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  // What was typed last must not lead back here when somebody has gone on.
  useEffect(() => () => clearTimeout(timer.current), []);
  const take = (next: string) => {
    clearTimeout(timer.current);
    // The API searches for two characters or more.
    if (filter.kind === 'search' && next.trim().length === 1) return;
    if (next.trim() === value) return;
    sent.current = next.trim();
    set({ [filter.name]: next.trim() });
  };
  return (
    <label class={filter.kind}>
      <span>{filter.label}</span>
      <input
        {...typeOf(filter.kind === 'search' ? 'search' : 'text')}
        value={text}
        placeholder={filter.hint}
        maxLength={200}
        onInput={event => {
          const next = event.currentTarget.value;
          setText(next);
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => take(next), 300);
        }}
        onChange={event => take(event.currentTarget.value)}
      />
    </label>
  );
}
