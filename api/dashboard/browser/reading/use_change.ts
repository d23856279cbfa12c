import { useRef, useState } from 'preact/hooks';
import type { ArgsOf, DataOf, Operation } from '#api/client/call.ts';
import { change } from './operations.ts';
import { type Problem, problemOf, unansweredChange } from './problem.ts';
import { refreshAll, wantsFactorAgain } from './store.ts';

/** A change somebody may make: `run` answers null where it was refused, and `problem` says why. */
export type Mutation<O extends Operation> = {
  run: (args: ArgsOf<O>) => Promise<DataOf<O> | null>;
  busy: boolean;
  /** Whether one is under way at this moment, which may not have been drawn yet. */
  isRunning: () => boolean;
  problem: Problem | null;
  clear: () => void;
};

/**
 * Makes changes through an operation of the API, one at a time; afterwards everything to be seen is asked for again, unless `refresh`
 * is false.
 */
export function useChange<O extends Operation>(operation: O, { refresh = true } = {}): Mutation<O> {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef(false);
  const unanswered = useRef<{ text: string; key: string } | null>(null);
  return {
    busy,
    isRunning: () => running.current,
    problem,
    clear: () => setProblem(null),
    async run(args) {
      if (running.current) return null;
      running.current = true;
      setBusy(true);
      setProblem(null);
      // Sent again as it was after no answer came, it is the same change: the first may have been made.
      const text = JSON.stringify(args);
      const key = unanswered.current?.text === text ? unanswered.current.key : crypto.randomUUID();
      unanswered.current = { text, key };
      try {
        const data = await change(operation, args, key);
        unanswered.current = null;
        if (refresh) await refreshAll();
        return data;
      } catch (thrown) {
        const refused = problemOf(thrown);
        if (refused.status !== 0) unanswered.current = null;
        if (refused.details.some(({ code }) => code === 'second_factor_stale')) wantsFactorAgain();
        setProblem(refused.status === 0 ? unansweredChange() : refused);
        return null;
      } finally {
        running.current = false;
        setBusy(false);
      }
    },
  };
}
