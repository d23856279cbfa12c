import type { AnyComponent, ComponentChildren } from 'preact';
import { Router, useLocation } from 'preact-iso';
import { useEffect, useErrorBoundary, useReducer, useRef, useState } from 'preact/hooks';
import { Icon, Mark } from '#api/dashboard/browser/parts/icon.tsx';
import { wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { UnsentChanges } from '#api/dashboard/browser/parts/unsent_changes.tsx';
import { useChange } from '#api/dashboard/browser/reading/use_change.ts';
import { places } from './places.ts';
import { pages } from './routes.tsx';
import { Search } from '#api/dashboard/browser/search/search.tsx';
import { useSession } from './session.tsx';
import { useUnread } from './unread.ts';
import { SignOut } from '#api/dashboard/browser/sign_in/sign_out.tsx';
import { refreshAll, troubleOf, watchTrouble } from '#api/dashboard/browser/reading/store.ts';
import { Time } from '#api/dashboard/browser/parts/values.tsx';
import { Empty, Page } from '#api/dashboard/browser/parts/page.tsx';

/** What stands around every page: where one can go, who is signed in, and where. On a phone it opens with a button. `hidden`: something else is to be shown first. */
export function Shell({ hidden }: { hidden: boolean }) {
  const { path, route } = useLocation();
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    setOpen(false);
    // Whoever signed in there is in.
    if (path === '/sign-in') route('/', true);
  }, [path]);
  const close = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !open || document.querySelector('dialog[open]')) return;
    setOpen(false);
    menu.current?.focus();
  };
  return (
    <div class="shell" hidden={hidden}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class={open ? 'side open' : 'side'} onKeyDown={close}>
        <div class="side-head">
          <Mark />
          <Where />
          <button
            type="button"
            class="menu"
            ref={menu}
            aria-expanded={open}
            aria-controls="places"
            onClick={() => setOpen(!open)}
          >
            Menu
          </button>
        </div>
        <Search />
        <div id="places" class="places">
          <Places path={path} />
          <Who />
        </div>
      </header>
      <main id="content">
        <Trouble />
        <UnsentChanges />
        <Sound>
          <Router>
            {Object.entries(pages).map(([path, component]) => (
              <Shown key={path} path={path} component={component} />
            ))}
            <Shown default component={NotFound} />
          </Router>
        </Sound>
      </main>
    </div>
  );
}

/** The page at a path, anew for each: what is being edited on one must not be sent for another. The router says which `path` it is. */
const Shown = ({ component: Component, path }: { component: AnyComponent; path?: string; default?: boolean }) => (
  <Component key={path} />
);

function Places({ path }: { path: string }) {
  const { me, may } = useSession();
  const unread = useUnread(path);
  const isHere = (place: string) => (place === '/' ? path === '/' : path === place || path.startsWith(`${place}/`));
  return (
    <nav aria-label="Main">
      {places.map(({ name, of }) => (
        <div key={name} role="group" aria-label={name}>
          <p class="group">{name}</p>
          <ul>
            {of
              .filter(place => (!place.for || may(place.for)) && !place.until?.(me.organization.id))
              .map(({ path, name, icon }) => (
                <li key={path}>
                  <a href={path} aria-current={isHere(path) ? 'page' : undefined}>
                    <Icon name={icon} />
                    {name}
                    {path === '/incidents' && unread && (
                      <span class="unread">
                        {unread} <span class="unseen">new</span>
                      </span>
                    )}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The organization and the environment; a choice where there are several organizations. */
function Where() {
  const { me } = useSession();
  const { run, busy, problem } = useChange('PUT /v1/me/organization', { refresh: false });
  const go = async (select: HTMLSelectElement) => {
    // All of the page is of the other organization.
    if (await run({ body: { id: select.value } })) location.assign('/');
    else select.value = me.organization.id;
  };
  return (
    <div class="where">
      {me.organizations.length > 1 ? (
        <select
          aria-label="Organization"
          value={me.organization.id}
          disabled={busy}
          onChange={event => void go(event.currentTarget)}
        >
          {me.organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <strong>{me.organization.name}</strong>
      )}
      <span class={`environment ${me.environment}`}>{wordsOf(me.environment)}</span>
      <ProblemNote problem={problem} />
    </div>
  );
}

function Who() {
  const { me } = useSession();
  return (
    <div class="who">
      <p>
        <a href="/account" title={me.user.email}>
          {me.user.name ?? me.user.email}
        </a>
        <small class="quiet">{wordsOf(me.role)}</small>
      </p>
      <p class="who-more">
        <a href="/docs" target="_blank" rel="noopener">
          <Icon name="book" size={14} /> API reference
        </a>
        <SignOut />
      </p>
    </div>
  );
}

/** Says once, above the page, that what it shows is no longer brought up to date, why, and since when. It goes when that is over. */
function Trouble() {
  const [, redraw] = useReducer<number, void>(times => times + 1, 0);
  useEffect(() => watchTrouble(redraw), []);
  const trouble = troubleOf();
  if (!trouble) return null;
  return (
    <p class="problem trouble-note" role="alert">
      {trouble.problem.message} Last updated <Time at={new Date(trouble.as_of).toISOString()} />.{' '}
      <button type="button" class="link" onClick={() => void refreshAll()}>
        Retry now
      </button>
    </p>
  );
}

/** What is shown of a page, or, where it throws, that it is broken: what stands around it stays, and other pages can be opened. */
function Sound({ children }: { children: ComponentChildren }) {
  const { url } = useLocation();
  const [error, reset] = useErrorBoundary(thrown => reportError(thrown)) as [unknown, () => void];
  useEffect(() => {
    if (error) reset();
  }, [url]);
  if (!error) return <>{children}</>;
  return (
    <Page title="Something went wrong">
      <Empty title="This page could not be displayed.">
        <p>
          Reload it, or <a href="/">go to the overview</a>. No data was lost.
        </p>
      </Empty>
    </Page>
  );
}

/** An address of no page. */
const NotFound = () => (
  <Page title="Page not found">
    <Empty title="Check the address, or go back to the overview.">
      <p>
        <a href="/">Go to the overview</a>
      </p>
    </Empty>
  </Page>
);
