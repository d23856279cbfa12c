import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { SLOW, useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { Pop } from './pop.tsx';
import { ProblemNote } from './problem_note.tsx';
import { queryText, useQuery } from './use_query.ts';

/** The views of this list that members have saved, and saving what is shown as one. */
export function SavedViews() {
  const { path } = useLocation();
  const { query } = useQuery();
  const { me, may } = useSession();
  const { data } = useReading('GET /v1/saved-views', { query: { page: path, limit: 200 } }, SLOW);
  const save = useChange('POST /v1/saved-views');
  const remove = useChange('DELETE /v1/saved-views/{id}');
  const [name, setName] = useState('');
  const now = queryText({ ...query, cursor: undefined, new: undefined });
  const views = data?.data ?? [];
  const current = views.find(view => view.query === now);
  const send = async () => {
    if (await save.run({ body: { page: path, name: name.trim(), query: now } })) setName('');
  };
  return (
    <Pop icon="bookmark" label={current && now ? current.name : 'Views'}>
      {views.length > 0 ? (
        <ul class="pop-list">
          {views.map(({ id, name, query, created_by }) => (
            <li key={id}>
              <a href={query ? `${path}?${query}` : path} aria-current={query === now ? 'true' : undefined}>
                {name}
              </a>
              {(created_by === me.user.id || may('administer')) && (
                <button
                  type="button"
                  class="plain"
                  aria-label={`Delete view: ${name}`}
                  disabled={remove.busy}
                  onClick={() => void remove.run({ params: { id } })}
                >
                  ✕
                </button>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <p class="quiet">Saved views keep filters and sort order. All members see them.</p>
      )}
      <ProblemNote problem={remove.problem} />
      <form
        class="pop-form"
        onSubmit={event => {
          event.preventDefault();
          void send();
        }}
      >
        <input
          type="text"
          aria-label="Name of the view"
          placeholder="Name this view"
          maxLength={60}
          required
          value={name}
          onInput={event => setName(event.currentTarget.value)}
        />
        <button type="submit" disabled={save.busy || name.trim() === ''}>
          Save view
        </button>
      </form>
      <ProblemNote problem={save.problem} />
    </Pop>
  );
}
