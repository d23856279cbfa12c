import { useLocation } from 'preact-iso';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '#api/dashboard/browser/parts/icon.tsx';
import { useSession } from '#api/dashboard/browser/session.tsx';
import { type Choice, foundGroups, type Group, placeGroups } from './choices.ts';
import { recentOf, rememberOpened } from './recent.ts';
import { isolated } from '#api/dashboard/browser/parts/isolated.ts';
import { useSearch } from './use_search.ts';

/** The search over the page: a combobox whose list is always there (WAI-ARIA 1.2). It keeps its size whatever it shows. */
export function Palette({ close }: { close: () => void }) {
  const session = useSession();
  const { route } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [marked, setMarked] = useState(0);
  const text = typed.trim();
  const { answer, searching, problem } = useSearch(text);
  const reader = `${session.me.user.id} ${session.me.organization.id}`;
  const groups = groupsOf();
  const choices = groups.flatMap(group => group.choices);
  const current = Math.min(marked, choices.length - 1);

  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useLayoutEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current, answer]);

  function groupsOf(): Group[] {
    const recent = text === '' ? recentOf(reader).map((each): Choice => ({ ...each, icon: 'history' })) : [];
    return [
      ...(recent.length > 0 ? [{ name: 'Recent', choices: recent }] : []),
      ...(answer ? foundGroups(answer) : []),
      ...placeGroups(session, text),
    ];
  }

  function open(choice: Choice | undefined, apart: boolean) {
    if (!choice) return;
    const { path, title, detail, remembered } = choice;
    if (remembered) rememberOpened(reader, { path, title, detail });
    close();
    if (apart) window.open(path, '_blank', 'noopener');
    else route(path);
  }

  function pressed(event: KeyboardEvent) {
    if (event.isComposing) return;
    const last = choices.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: current === last ? 0 : current + 1,
      ArrowUp: current <= 0 ? last : current - 1,
      PageDown: Math.min(current + 8, last),
      PageUp: Math.max(current - 8, 0),
    };
    const next = moves[event.key];
    if (next !== undefined) setMarked(next);
    else if (event.key === 'Enter') open(choices[current], event.metaKey || event.ctrlKey);
    else return;
    event.preventDefault();
  }

  let index = -1;
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onClose={close}
      onClick={event => event.target === dialog.current && close()}
    >
      <div class="palette-head">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded="true"
          aria-controls="search-results"
          aria-autocomplete="list"
          aria-activedescendant={choices.length > 0 ? `choice-${current}` : undefined}
          placeholder="Search by ID, amount, payee, agent, order, or card"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          autofocus
          value={typed}
          onInput={event => {
            setTyped(event.currentTarget.value);
            setMarked(0);
          }}
          onKeyDown={pressed}
        />
        <button type="button" class="plain" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div id="search-results" class="palette-list" role="listbox" aria-label="Results" aria-busy={searching}>
        {groups.map(group => (
          <div key={group.name} role="group" aria-label={group.name}>
            <p class="group" role="presentation">
              {group.name}
            </p>
            {group.choices.map(choice => {
              index += 1;
              const at = index;
              return (
                <div
                  key={choice.path + choice.title}
                  id={`choice-${at}`}
                  role="option"
                  class="choice"
                  aria-selected={at === current}
                  onMouseMove={() => at !== current && setMarked(at)}
                  onClick={event => open(choice, event.metaKey || event.ctrlKey)}
                >
                  <Icon name={choice.icon} />
                  <span class="choice-title">{isolated(choice.title)}</span>
                  <small class="quiet">{choice.detail}</small>
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p class="palette-foot quiet" role="status">
        {problem ? problem.message : searching ? 'Searching…' : said(choices.length)}
      </p>
    </dialog>
  );
}

const said = (count: number): string =>
  count === 0 ? 'No results. Names match from three characters.' : count === 1 ? '1 result' : `${count} results`;
