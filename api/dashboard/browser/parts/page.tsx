import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import type { Reading } from '#api/dashboard/browser/reading/store.ts';
import { setTitle } from '#api/dashboard/browser/unread.ts';
import { ProblemNote } from './problem_note.tsx';
import { isolated } from './isolated.ts';

/** A page: its title, what can be done with the whole of it, and the rest. Coming to it, a screen reader reads its title. */
export function Page({
  title,
  eyebrow,
  actions,
  children,
}: {
  title: string;
  eyebrow?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { path } = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    setTitle(`${isolated(title)} · Agent Payment Oversight`);
  }, [title]);
  useEffect(() => {
    // At the first page the browser itself says what it is.
    if (visited) heading.current?.focus({ preventScroll: true });
    visited = true;
  }, [path]);
  return (
    <>
      <header class="page-head">
        <div>
          {eyebrow && <p class="eyebrow">{eyebrow}</p>}
          <h1 ref={heading} tabIndex={-1}>
            {isolated(title)}
          </h1>
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

let visited = false;

/** What is read before it can be shown: a line while it is on its way, what went wrong, or `children` of it. */
export function Loaded<T>({ reading, children }: { reading: Reading<T>; children: (data: T) => ComponentChildren }) {
  const { data, problem } = reading;
  if (data !== null)
    return (
      <>
        {problem && !problem.passes && <ProblemNote problem={problem} />}
        {children(data)}
      </>
    );
  if (problem)
    return (
      <>
        <ProblemNote problem={problem} />
        {problem.status === 404 && (
          <p>
            Check the address, search for the record, or <a href="/">go to the overview</a>.
          </p>
        )}
      </>
    );
  return <p class="quiet loading">Loading…</p>;
}

/** A part of a page under a heading of its own. */
export const Section = ({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section class="section" aria-label={title}>
    <header>
      <h2>{title}</h2>
      {actions && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
);

/** Names and values. Rows whose value is null or undefined are left out. */
export const Facts = ({ of }: { of: [name: string, value: ComponentChildren][] }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

/** Where there is nothing: what would be here, and what to do to get it. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
);
