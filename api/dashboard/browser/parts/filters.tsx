import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListOperation, Narrowing } from '#api/dashboard/browser/reading/use_rows.ts';
import { wordsOf } from './format.ts';
import { typeOf } from './form.tsx';
import { periods, rangeOf } from './period.ts';
import { type Pickable, PickFilter } from './pick_filter.tsx';
import { localOf, utcOf } from './time_field.tsx';
import { useQuery } from './use_query.ts';
import { useScreen } from './use_screen.ts';

/** What a list can be filtered by: a parameter of its operation, that the address of the page has under the same name. */
export type Filter<O extends ListOperation> = Narrowing<O> & Kind;

/**
 * `none`: what holds where nothing is chosen, by default anything. `names`: what is shown for a value that is no word. A `link` is not
 * typed: it came with an address, an id as a rule, and is shown with what takes it away.
 */
type Kind = { name: string; label: string } & (
  | { kind: 'choice'; of: readonly string[]; none?: string; names?: Record<string, string> }
  | { kind: 'search' | 'text' | 'time'; hint?: string }
  | { kind: 'pick'; of: Pickable }
  | { kind: 'period' }
  | { kind: 'hidden' }
  | { kind: 'link'; show: (value: string) => ComponentChildren }
);
type Link = Extract<Kind, { kind: 'link' }>;
type Field = Exclude<Kind, Link | { kind: 'hidden' }>;

/** On narrower screens the filters are folded away: there they would fill half of it. */
const ROOM_FOR_FILTERS = 761;

/** The filters of a list; each change stands in the address at once. */
export function Filters({ of }: { of: readonly Kind[] }) {
  const { query } = useQuery();
  const isWide = useScreen(ROOM_FOR_FILTERS);
  const fields = of.flatMap(filter => (filter.kind === 'link' || filter.kind === 'hidden' ? [] : [filter]));
  const some = fields.filter(
    ({ name, kind }) => (query[name] && name !== 'sort') || (kind === 'period' && (query['period'] || query['to'])),
  ).length;
  const form = <FilterForm of={fields} some={some > 0} />;
  return (
    <>
      {isWide ? (
        form
      ) : (
        <details class="folded">
          <summary>{some === 0 ? 'Filters' : `Filters: ${some}`}</summary>
          {form}
        </details>
      )}
      <Chips of={of.filter(filter => filter.kind === 'link')} />
    </>
  );
}

function Chips({ of }: { of: Link[] }) {
  const { query, set } = useQuery();
  const chosen = of.flatMap(link => {
    const value = query[link.name];
    return value ? [{ ...link, value }] : [];
  });
  if (chosen.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {chosen.map(({ name, label, value, show }) => (
        <li key={name} class="chip">
          <span class="quiet">{label}</span> {show(value)}
          <button
            type="button"
            class="plain"
            aria-label={`Remove filter: ${label}`}
            onClick={() => set({ [name]: undefined })}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Another order begins where it does by itself. */
const inItsDirection = { direction: undefined, order: undefined };

function FilterForm({ of, some }: { of: Field[]; some: boolean }) {
  const { query, set, clear } = useQuery();
  return (
    <form class="filters" role="search" onSubmit={event => event.preventDefault()}>
      {of.map(filter =>
        filter.kind === 'choice' ? (
          <label key={filter.name}>
            <span>{filter.label}</span>
            <select
              value={query[filter.name] ?? ''}
              onChange={event =>
                set({ [filter.name]: event.currentTarget.value, ...(filter.name === 'sort' && inItsDirection) })
              }
            >
              <option value="">{filter.none ?? 'Any'}</option>
              {filter.of.map(value => (
                <option key={value} value={value}>
                  {filter.names?.[value] ?? wordsOf(value)}
                </option>
              ))}
            </select>
          </label>
        ) : filter.kind === 'pick' ? (
          <PickFilter
            key={filter.name}
            of={filter.of}
            label={filter.label}
            value={query[filter.name] ?? ''}
            set={id => set({ [filter.name]: id })}
          />
        ) : filter.kind === 'period' ? (
          <Period key={filter.name} label={filter.label} />
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

/** A period by its name, or, with `custom`, two moments. */
function Period({ label }: { label: string }) {
  const { query, set } = useQuery();
  const { period, from, to } = query;
  const chosen = period ?? (from || to ? 'custom' : '');
  const moment = (name: 'from' | 'to', label: string) => (
    <label>
      <span>{label}</span>
      <input
        type="datetime-local"
        value={localOf(query[name] ?? '')}
        onChange={event => set({ [name]: utcOf(event.currentTarget.value) })}
      />
    </label>
  );
  return (
    <>
      <label>
        <span>{label}</span>
        <select
          value={chosen}
          onChange={event => {
            const next = event.currentTarget.value;
            // One's own begins with what was to be seen.
            set({ period: next, ...(next === 'custom' ? rangeOf(query) : { from: undefined, to: undefined }) });
          }}
        >
          <option value="">Any time</option>
          {Object.entries(periods).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
          <option value="custom">Custom</option>
        </select>
      </label>
      {chosen === 'custom' && moment('from', 'From')}
      {chosen === 'custom' && moment('to', 'To')}
    </>
  );
}

/** Waits until typing pauses. */
function Typed({
  filter,
  value,
  set,
}: {
  filter: Extract<Field, { kind: 'search' | 'text' | 'time' }>;
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
