import { refreshAll } from '#api/dashboard/browser/reading/store.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { Section } from '#api/dashboard/browser/parts/page.tsx';
import { ProblemNote } from '#api/dashboard/browser/parts/problem_note.tsx';
import { change } from '#api/dashboard/browser/reading/operations.ts';
import { type Problem, problemOf } from '#api/dashboard/browser/reading/problem.ts';

/** The API reads at most 100,000 events at once; a log that is longer is read in parts, each a few seconds. */
const MOST_AT_ONCE = 100_000;
const PART = 50_000;

type Progress = { state: 'running' | 'stopped' | 'sound'; checked: number; of: number; archived: number };
type Found = Progress | { state: 'flawed'; reason: string; seq: number | null } | { state: 'failed'; problem: Problem };

/** Has the service read the log again, all of it, and says what it found. It can be stopped, and stops when the page is left. */
export function VerifyLog({ size }: { size: number }) {
  const [result, setResult] = useState<Found | null>(null);
  const stop = useRef(false);
  useEffect(() => () => void (stop.current = true), []);
  const verify = async () => {
    stop.current = false;
    let archived = 0;
    const say = (state: Progress['state'], checked: number, of = size) => setResult({ state, checked, of, archived });
    const fits = size <= MOST_AT_ONCE;
    const part = fits ? size : PART;
    say('running', 0);
    try {
      for (let from = 1; from <= size; from += part) {
        const to = Math.min(from + part - 1, size);
        // All of it is asked for without an end: the log may have grown, and only all of it has its tree and roots verified too.
        const verifyInput = fits ? {} : { from_seq: from, to_seq: to };
        const answer = await change('POST /v1/log/verify', { body: verifyInput });
        const { ok, reason, first_bad_seq, checked } = answer;
        archived += answer.archived;
        if (!ok)
          return setResult({
            state: 'flawed',
            reason: reason ?? 'An event does not match the log.',
            seq: first_bad_seq,
          });
        if (fits) return say('sound', checked, checked);
        if (stop.current && to < size) return say('stopped', to);
        say('running', to);
      }
      return say('sound', size);
    } catch (thrown) {
      return setResult({ state: 'failed', problem: problemOf(thrown) });
    } finally {
      // The page says who verified it last.
      void refreshAll();
    }
  };
  const isRunning = result?.state === 'running';
  return (
    <Section
      title="Log verification"
      actions={
        isRunning && size > MOST_AT_ONCE ? (
          <button type="button" onClick={() => (stop.current = true)}>
            Stop
          </button>
        ) : (
          <button type="button" class="main" disabled={size === 0 || isRunning} onClick={() => void verify()}>
            Verify log
          </button>
        )
      }
    >
      <p class="quiet">
        Reads all events and evidence in the database again, recomputes the tree, and compares it with the signed
        checkpoints.
        {size > MOST_AT_ONCE &&
          ` A log of this size is verified in ${Math.ceil(size / PART)} parts, each event by its path to the latest checkpoint. Your operator can verify all of it at once.`}
      </p>
      <div role="status">{result && <Outcome result={result} />}</div>
    </Section>
  );
}

function Outcome({ result }: { result: Found }) {
  switch (result.state) {
    case 'running':
      return (
        <p>
          <progress max={result.of} value={result.checked || undefined} aria-label="Events verified" />{' '}
          {result.checked === 0 ? 'Reading…' : `${countText(result.checked)} of ${countText(result.of)} events`}
        </p>
      );
    case 'stopped':
      return (
        <p class="note">
          Stopped. {countText(result.checked)} of {countText(result.of)} events verified.
        </p>
      );
    case 'sound':
      return (
        <p class="note">
          <strong>Log intact:</strong> {countText(result.of)} {result.of === 1 ? 'event' : 'events'} verified
          {result.archived > 0 &&
            `, of which ${countText(result.archived)} are in archives: their hashes match the tree and the statements signed for the archives`}
        </p>
      );
    case 'flawed':
      return (
        <div class="problem">
          <p>
            <strong>Log failed verification{result.seq !== null && ` at number ${countText(result.seq)}`}</strong>{' '}
            {result.reason}
          </p>
          <p>Contact your operator, and keep your copies of checkpoints: they prove what the log contained.</p>
        </div>
      );
    case 'failed':
      return <ProblemNote problem={result.problem} />;
  }
}
