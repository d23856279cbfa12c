import { useState } from 'preact/hooks';
import type { BodyOf, DataOf } from '#api/client/call.ts';
import type { CaseDetail } from '#shared/casework/cases.ts';
import { TextField } from '#api/dashboard/browser/parts/form.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { shownOf } from '#api/dashboard/browser/search/choices.ts';
import { useSearch } from '#api/dashboard/browser/search/use_search.ts';

type Links = BodyOf<'POST /v1/cases/{id}/links'>;
type Group = DataOf<'GET /v1/search'>['groups'][number];

/** What a case can be about: the list that it belongs to, and how one of it is called. */
const kinds: Partial<Record<Group['kind'], { list: keyof Links & keyof CaseDetail['links']; name: string }>> = {
  alert: { list: 'alert_ids', name: 'Alert' },
  event: { list: 'event_ids', name: 'Payment' },
  screening: { list: 'screening_ids', name: 'Screening' },
  pack: { list: 'pack_ids', name: 'Pack' },
};

/** Finds alerts, payments, screenings, and packs by what people know of them, and adds them to a case one by one. */
export function AddLinks({ id, links }: { id: string; links: CaseDetail['links'] }) {
  const { run, busy, problem } = useChange('POST /v1/cases/{id}/links');
  const [text, setText] = useState('');
  // Of the address of a page, its id is looked for.
  const [sought = text.trim()] = /[a-z]{3}_[0-9A-Z]{26}/.exec(text) ?? [];
  const { answer, searching, problem: trouble } = useSearch(sought);
  const found = (answer?.groups ?? []).flatMap(({ kind, results }) => {
    const as = kinds[kind];
    return as ? results.map(result => ({ ...as, kind, result })) : [];
  });
  return (
    <>
      <TextField
        label="Find"
        hint="An alert, payment, screening, or pack: by ID, amount, order, or part of a title."
        value={text}
        set={setText}
        maxLength={200}
        placeholder="Such as $35.77"
      />
      <ul class="lines" aria-busy={searching} aria-label="Results">
        {found.map(({ list, name, kind, result }) => {
          const { title, detail } = shownOf(kind, result);
          const isLinked = links[list].includes(result.id);
          return (
            <li key={result.id}>
              <button
                type="button"
                class="plain"
                aria-label={`Add ${name.toLowerCase()} ${title}`}
                disabled={busy || isLinked}
                onClick={() => void run({ params: { id }, body: { [list]: [result.id] } })}
              >
                {isLinked ? 'Added' : 'Add'}
              </button>
              <span class="quiet">{name}</span>
              <span>{title}</span>
              <span class="quiet">{detail}</span>
            </li>
          );
        })}
      </ul>
      <p class="quiet" role="status">
        {sought && !searching && found.length === 0 && !trouble && 'Nothing matches.'}
      </p>
      <ProblemNote problem={problem ?? trouble} />
    </>
  );
}
