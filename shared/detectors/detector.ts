import type { Verdict } from '#shared/assessment/verdict.ts';
import type { Baseline } from '#shared/detection/baseline.ts';
import type { History } from '#shared/detection/history.ts';
import type { DetectionEvent, Payment } from '#shared/detection/payment.ts';

/** What a detector of verdicts is shown: all it needs is known again whenever an event is assessed again. */
export type VerdictContext = { verdict: Verdict };

/** What a detector is shown with an event: its verdict, and its agent's latest payments, this one among them as it is after the event. */
export type Context = VerdictContext & {
  payment: Payment;
  /** The payment as it was before the event; undefined at its first event. */
  former: Payment | undefined;
  history: History;
  /** The agent has never paid this payee before. */
  is_new_payee: boolean;
  /** The agent's own rhythm of the last 30 days; costs something, so it is asked for last. */
  baseline: () => Baseline;
  /** What the agent did in a window that reaches back further than the payments in `history`, from whole minutes. */
  between: (from: number, to: number) => { payments: number; spend_micro: bigint };
};

/** What a detector says of an event. The alert's words may hold `{payee}`, which stands for the payee's name. */
export type Finding = {
  score: number;
  title: string;
  explanation: string;
  /** What the alert is about, besides detector and agent: the payee's id, or nothing further. */
  subject: string;
  /** Latest events of the payments behind it, by chain_seq. */
  seqs: number[];
};

/** A detector judges an event by what it is shown, and by nothing else: `judge` is pure, and is what its tests test. */
export type Detector<Shown extends VerdictContext = Context> = {
  name: string;
  /** It judges only for organizations that have turned it on. */
  off_by_default?: true;
  judge: (event: DetectionEvent, context: Shown) => Finding | Finding[] | null;
};

/** A detector that looks at verdicts alone. */
export type VerdictDetector = Detector<VerdictContext>;
