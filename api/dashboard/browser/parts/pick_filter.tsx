import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useRecord } from '#api/dashboard/browser/reading/use_record.ts';
import type { Described } from './form.tsx';
import { shortened } from './format.ts';

/** What can be picked by its name. */
export type Pickable = 'agent' | 'owner' | 'payee' | 'mandate' | 'member' | 'case' | 'endpoint' | 'key';

/** `detail`: what else it is known by. */
type Choice = [id: string, name: string, detail?: string | null];

type Picking = { of: Pickable; value: string; set: (id: string) => void };
type More = Partial<Described> & {
  placeholder?: string;
  required?: boolean;
  autoFocus?: boolean;
  'aria-label'?: string;
};

/** A filter by a record, picked by its name from what is suggested as one types. */
export const PickFilter = ({ label, ...picking }: Picking & { label: string }) => (
  <label class="text">
    <span>{label}</span>
    <PickInput {...picking} aria-label={label} placeholder="Any" />
  </label>
);

/**
 * A record, picked by its name or its id from what is suggested as one types; Enter takes the first suggestion. `more`: what else its input
 * has. What is `required` is what the input says: text that is nobody's name picks nobody.
 */
export function PickInput({ of, value, set, ...more }: Picking & More) {
  const list = useId();
  // Null while nothing is being typed: then it shows what is picked.
  const [typed, setTyped] = useState<string | null>(null);
  // Suggestions are asked for when somebody is about to pick one, and not with the page.
  const [isNear, setNear] = useState(false);
  const { choices, picked } = sources[of](isNear ? (typed?.trim() ?? '') : null, value);
  const options = distinct(choices ?? []);
  const suggested = typed ? options.filter(isSuggested(of, typed)) : [];
  const isUnmatched = [...(typed?.trim() ?? '')].length > 1 && choices !== null && suggested.length === 0;
  // Enter may be pressed before the suggestions are there.
  const isHasty = useRef(false);
  const idOf = (text: string) => {
    if (text === '' || /^[a-z]{3}_[0-9A-Z]{26}$/.test(text.trim())) return text.trim();
    // Of one name there may be others than those that were suggested before anything was typed.
    const named = typed === null && !isWhole(of) ? [] : options.filter(([, ...names]) => names.includes(text));
    return named.length === 1 ? named[0]?.[0] : undefined;
  };
  const take = (text: string) => {
    const id = idOf(text);
    setTyped(id === undefined ? text : null);
    const next = id ?? (more.required ? '' : value);
    if (next !== value) set(next);
  };
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const isNobody = more.required && typed && value === '';
    input.current?.setCustomValidity(isNobody ? 'Choose one of the suggestions, or paste an ID.' : '');
  });
  const takeFirst = ([first]: Choice[]) => {
    isHasty.current = first === undefined && choices === null;
    if (first) take(first[1]);
  };
  // What was typed before it was suggested.
  useEffect(() => {
    // What was typed since is taken with its own suggestions.
    if (!typed || input.current?.value !== typed) return;
    if (isHasty.current) takeFirst(suggested);
    else if (idOf(typed) !== undefined) take(typed);
  }, [choices?.length, choices?.[0]?.[0]]);
  const shown = value && (options.find(([id]) => id === value)?.[1] ?? picked ?? shortened(value));
  return (
    <>
      <input
        {...more}
        ref={input}
        type="text"
        list={list}
        value={typed ?? shown}
        maxLength={200}
        onFocus={() => setNear(true)}
        onInput={event => {
          setNear(true);
          isHasty.current = false;
          take(event.currentTarget.value);
        }}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || !typed) return;
          event.preventDefault();
          takeFirst(suggested);
        }}
        // What picks nobody stays, and says so; else a filter goes back to what it filters by.
        onBlur={() => more.required || isUnmatched || setTyped(null)}
      />
      <small class="wrong" role="status">
        {isUnmatched && `No ${nouns[of]} matches.`}
      </small>
      <datalist id={list}>
        {options.map(([id, name, detail]) => (
          <option key={id} value={name} label={detail ?? undefined} />
        ))}
      </datalist>
    </>
  );
}

const nouns: Record<Pickable, string> = {
  agent: 'agent',
  owner: 'owner',
  payee: 'payee',
  mandate: 'mandate',
  member: 'member',
  case: 'recent case',
  endpoint: 'endpoint',
  key: 'API key',
};

/** Whether the same are suggested whatever is typed. */
const isWhole = (of: Pickable) => of === 'endpoint' || of === 'case';

/** Whether a record is suggested for a text: those that the API finds by it, or those with it in a name, where the API was not asked. */
function isSuggested(of: Pickable, typed: string): (choice: Choice) => boolean {
  const text = typed.trim().toLowerCase();
  const isAsked = !isWhole(of) && [...text].length > 1;
  return ([, ...names]) => isAsked || names.some(name => name?.toLowerCase().includes(text));
}

/**
 * By what was typed, null while nobody is about to: whom to suggest, null before that is known, and what the one that is picked is called where it is not among them.
 */
const sources: Record<
  Pickable,
  (text: string | null, id: string) => { choices: Choice[] | null; picked: string | null | undefined }
> = {
  agent: (text, id) => {
    const { data } = useReading('GET /v1/agents', asked(text), STILL);
    const one = useRecord('GET /v1/agents', id || null);
    return {
      choices: mapped(data, agent => [
        agent.id,
        agent.name ?? agent.external_id ?? agent.id,
        agent.name && agent.external_id,
      ]),
      picked: one?.name ?? one?.external_id,
    };
  },
  owner: (text, id) => {
    const { data } = useReading('GET /v1/owners', asked(text), STILL);
    const one = useRecord('GET /v1/owners', id || null);
    return {
      choices: mapped(data, owner => [
        owner.id,
        owner.name ?? owner.external_id ?? owner.id,
        owner.name && owner.external_id,
      ]),
      picked: one?.name ?? one?.external_id,
    };
  },
  payee: (text, id) => {
    const { data } = useReading('GET /v1/payees', asked(text), STILL);
    const one = useRecord('GET /v1/payees', id || null);
    return {
      choices: mapped(data, payee => [payee.id, payee.name ?? payee.key, payee.name && payee.key]),
      picked: one?.name ?? one?.key,
    };
  },
  mandate: (text, id) => {
    const { data } = useReading('GET /v1/mandates', asked(text), STILL);
    const one = useReading('GET /v1/mandates/{id}', id ? { params: { id } } : null, STILL).data;
    return { choices: mapped(data, ({ id, name }) => [id, name]), picked: one?.name };
  },
  member: (text, id) => {
    const { data } = useReading('GET /v1/members', asked(text), STILL);
    const one = useRecord('GET /v1/members', id || null);
    return {
      choices: mapped(data, member => [member.id, member.name ?? member.email, member.name && member.email]),
      picked: one?.name ?? one?.email,
    };
  },
  key: (text, id) => {
    const { data } = useReading('GET /v1/api-keys', asked(text), STILL);
    const one = useRecord('GET /v1/api-keys', id || null);
    return { choices: mapped(data, ({ id, name }) => [id, name]), picked: one?.name };
  },
  case: (text, id) => {
    const { data } = useReading('GET /v1/cases', text === null && !id ? null : { query: { limit: 200 } }, STILL);
    return { choices: mapped(data, ({ id, title }) => [id, title]), picked: null };
  },
  endpoint: (text, id) => {
    const { data } = useReading(
      'GET /v1/webhook-endpoints',
      text === null && !id ? null : { query: { limit: 200 } },
      STILL,
    );
    return { choices: mapped(data, ({ id, url }) => [id, url]), picked: null };
  },
};

const mapped = <R,>(page: { data: R[] } | null, choiceOf: (record: R) => Choice): Choice[] | null =>
  page && page.data.map(choiceOf);

/** The API searches for two characters or more; an emoji is one. */
const asked = (text: string | null) =>
  text === null ? null : { query: { limit: 50, ...([...text].length > 1 && { q: text }) } };

/** Two of one name are told apart by their ids. */
function distinct(choices: Choice[]): Choice[] {
  const names = choices.map(([, name]) => name);
  return choices.map(([id, name, detail]) => [
    id,
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${shortened(id)})`,
    detail,
  ]);
}
