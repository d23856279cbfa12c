import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import {
  disownAnswers,
  forgetAll,
  refreshAll,
  whenFactorIsStale,
  whenSignedOut,
} from '#api/dashboard/browser/reading/store.ts';
import { readerOf, SessionContext, type SignedIn, signedIn } from './session.tsx';
import { forgetRecent } from '#api/dashboard/browser/search/recent.ts';
import { Shell } from './shell.tsx';
import { EnrollGate } from '#api/dashboard/browser/sign_in/enroll_gate.tsx';
import { SecondFactorGate } from '#api/dashboard/browser/sign_in/second_factor_gate.tsx';
import { SignIn } from '#api/dashboard/browser/sign_in/sign_in.tsx';
import type { ComponentChildren } from 'preact';

/** A session ends by itself after hours; the page is told within a minute, or by the next thing it asks for. */
const EVERY_MINUTE = 60_000;
/** How long the page of a session that ended by itself waits for its reader, in milliseconds: others may come to the machine. */
const WAITING = 600_000;
/** What a tab tells the others when somebody signs out in it. */
const NOBODY = '';

/** The dashboard for whoever opens it: signing in, the second factor where it is needed, and then the pages. */
export function App({ hasSession }: { hasSession: boolean }) {
  const [asking, setAsking] = useState(hasSession);
  /** When the session ended by itself, in milliseconds. */
  const [ended, setEnded] = useState<number | null>(null);
  /** Whose pages are open. They stay behind what is to be shown first, with what was typed there, and are nobody else's. */
  const opened = useRef<SignedIn | null>(null);
  const [stale, setStale] = useState(false);
  useEffect(() => whenFactorIsStale(() => setStale(true)), []);
  const reading = useReading('GET /v1/me', asking ? {} : null, EVERY_MINUTE);
  const [, redraw] = useReducer<number, void>(times => times + 1, 0);
  useEffect(
    () =>
      whenSignedOut(byItself => {
        if (byItself && opened.current) disownAnswers();
        else forgetAll();
        forgetRecent();
        if (!byItself) {
          opened.current = null;
          const tabs = new BroadcastChannel('session');
          tabs.postMessage(NOBODY);
          tabs.close();
        }
        setAsking(false);
        setEnded(byItself ? Date.now() : null);
      }),
    [],
  );
  const enrolling = useRef(false);
  const { data: me, problem, as_of } = reading;
  const isCurrent = asking && (ended === null || (as_of !== null && as_of > ended));
  const session = useMemo(() => (me?.kind === 'session' && isCurrent ? signedIn(me) : null), [me, isCurrent]);
  const isOver = ended !== null && session === null;
  useEffect(() => {
    if (!isOver || !opened.current) return;
    const leave = () => {
      forgetAll();
      opened.current = null;
      redraw();
    };
    const timer = setTimeout(leave, WAITING);
    return () => clearTimeout(timer);
  }, [isOver]);
  const begun = () => {
    disownAnswers();
    setAsking(true);
    void refreshAll();
  };
  // Tabs share a cookie. The one in which somebody asked for a link hears of it from the one in which the link was opened; and one that
  // shows another person's or organization's things must not go on with them.
  const who = session && readerOf(session);
  const whoWas = useRef(who);
  useEffect(() => {
    if (who && whoWas.current && who !== whoWas.current) location.assign('/');
    whoWas.current = who ?? whoWas.current;
    const tabs = new BroadcastChannel('session');
    if (who) tabs.postMessage(who);
    tabs.addEventListener('message', ({ data }) => {
      if (data === NOBODY) {
        if (opened.current) location.assign('/');
      } else if (!who) begun();
      else if (data !== who) location.assign('/');
    });
    return () => tabs.close();
  }, [who]);
  const isOther = session && opened.current && readerOf(session) !== readerOf(opened.current);
  // The page is being left for theirs.
  if (isOther) return null;
  const within = session ?? opened.current;
  if (!within) {
    if (problem && problem.status !== 401) return <ProblemNote problem={problem} />;
    return !asking ? <SignIn signedIn={begun} ended={ended !== null} /> : null;
  }
  const { required, shown, enrolled } = within.me.second_factor;
  // The session counts as safe as soon as the factor is there; the recovery codes are still to be read.
  if (session && required && !shown && !enrolled) enrolling.current = true;
  const leaveEnrolling = async () => {
    enrolling.current = false;
    await refreshAll();
    redraw();
  };
  const verified = () => {
    setStale(false);
    void refreshAll();
  };
  const gate = !session ? (
    <SignIn signedIn={begun} ended keeps />
  ) : enrolling.current ? (
    <EnrollGate done={() => void leaveEnrolling()} />
  ) : stale || (required && !shown) ? (
    <SecondFactorGate done={verified} />
  ) : null;
  if (!gate) opened.current = session;
  const isOpen = opened.current !== null;
  return (
    <SessionContext.Provider value={within}>
      {isOpen && <Shell hidden={gate !== null} />}
      {gate && isOpen ? <OverPage>{gate}</OverPage> : gate}
    </SessionContext.Provider>
  );
}

/** Covers the page, which stays as it is behind: what somebody has typed there is still there afterwards. */
function OverPage({ children }: { children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const title = document.title;
    // A modal one stands above a dialog that was open, and takes the keys.
    dialog.current?.showModal();
    return () => {
      document.title = title;
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="over-page"
      onCancel={event => event.preventDefault()}
      onKeyDown={event => event.key === 'Escape' && event.preventDefault()}
    >
      {children}
    </dialog>
  );
}
