import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { forgetAll, refreshAll, whenFactorIsStale, whenSignedOut } from '#api/dashboard/browser/reading/store.ts';
import { readerOf, SessionContext, signedIn } from './session.tsx';
import { forgetRecent } from '#api/dashboard/browser/search/recent.ts';
import { Shell } from './shell.tsx';
import { EnrollGate } from '#api/dashboard/browser/sign_in/enroll_gate.tsx';
import { SecondFactorGate } from '#api/dashboard/browser/sign_in/second_factor_gate.tsx';
import { SignIn } from '#api/dashboard/browser/sign_in/sign_in.tsx';

/** A session ends by itself after hours; the page is told within a minute, or by the next thing it asks for. */
const EVERY_MINUTE = 60_000;

/** The dashboard for whoever opens it: signing in, the second factor where it is needed, and then the pages. */
export function App({ hasSession }: { hasSession: boolean }) {
  const [asking, setAsking] = useState(hasSession);
  const [ended, setEnded] = useState(false);
  const [stale, setStale] = useState(false);
  useEffect(() => whenFactorIsStale(() => setStale(true)), []);
  const known = useReading('GET /v1/me', asking ? {} : null, EVERY_MINUTE);
  const [, redraw] = useReducer<number, void>(times => times + 1, 0);
  useEffect(
    () =>
      whenSignedOut(byItself => {
        forgetAll();
        forgetRecent();
        setAsking(false);
        setEnded(byItself);
      }),
    [],
  );
  const enrolling = useRef(false);
  const { data: me, problem } = known;
  const session = useMemo(() => (me?.kind === 'session' ? signedIn(me) : null), [me]);
  const begun = () => {
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
      if (!who) begun();
      else if (data !== who) location.assign('/');
    });
    return () => tabs.close();
  }, [who]);
  if (!session) {
    if (problem && problem.status !== 401) return <ProblemNote problem={problem} />;
    return !asking ? <SignIn signedIn={begun} ended={ended} /> : null;
  }
  const { required, shown, enrolled } = session.me.second_factor;
  // The session counts as safe as soon as the factor is there; the recovery codes are still to be read.
  if (required && !shown && !enrolled) enrolling.current = true;
  const leaveEnrolling = async () => {
    enrolling.current = false;
    await refreshAll();
    redraw();
  };
  return (
    <SessionContext.Provider value={session}>
      {enrolling.current ? (
        <EnrollGate done={() => void leaveEnrolling()} />
      ) : stale || (required && !shown) ? (
        <SecondFactorGate
          done={() => {
            setStale(false);
            void refreshAll();
          }}
        />
      ) : (
        <Shell />
      )}
    </SessionContext.Provider>
  );
}
