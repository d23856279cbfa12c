import type { z } from 'zod';
import type { Verdict } from '#shared/assessment/verdict.ts';
import type { Asks } from './asks.ts';
import type { Baseline } from './baseline.ts';
import type { History } from './history.ts';
import type { Needs } from './needs.ts';
import type { PayeeState } from './payees.ts';
import type { Rarity } from './rarity.ts';
import type { Spreads } from './spreads.ts';
import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import type { EventType } from '#shared/values/event_types.ts';

/** What a detector of verdicts is shown: all it needs is known again whenever an event is assessed again. */
export type VerdictContext = { verdict: Verdict };

/** What a detector is shown with an event: its verdict, and its agent's latest payments, this one among them as it is after the event. */
export type Context = VerdictContext & {
  payment: Payment;
  /** The payment as it was before the event; undefined at its first event. */
  former: Payment | undefined;
  history: History;
  /** The agent has never paid this payee before, in the order in which payments occurred. */
  is_new_payee: boolean;
  /** The agent's own rhythm of the last 30 days; costs something, so it is asked for last. */
  baseline: () => Baseline;
  /** What the agent did in a window that reaches back further than the payments in `history`, from whole minutes. */
  between: (from: number, to: number) => { payments: number; spend_micro: bigint };
  /** Countries the agent has paid to, before this event, and where in the log it first did. */
  countries: ReadonlyMap<string, number>;
  /** When the agent first paid each of the payees that it came to last, at most MOST_NEW_PAYEES, in order; this event's among them. */
  new_payees: readonly number[];
  /** Whom the event pays, as is known with it. */
  payee: PayeeState;
  /** All that was reported of the payment so far, this event last; only where its reports contradict each other, else empty. */
  reports: readonly PaymentReport[];
};

/** One event of a payment that has contradicting ones. */
export type PaymentReport = {
  chain_seq: number;
  source_id: string;
  /** The name of the source. */
  source_name: string;
  type: EventType;
  occurred_at: number;
  usd_micro: bigint | null;
  price_key: string;
};

/** What a detector says about an event. The texts may contain `{payee}`, which stands for the payee's name. */
export type Finding = {
  score: number;
  /** Where it does not follow from the score. */
  severity?: 'low' | 'medium' | 'high' | 'critical';
  title: string;
  explanation: string;
  /** What the alert is about, besides detector and agent: the payee's id, or nothing further. */
  subject: string;
  /** One event of each payment that the words are about, by chain_seq; where they count payments, of each that they count. */
  seqs: number[];
  /** When what is rare for the agent occurred: one alert tells of it as long as it goes on. */
  conduct_at?: number;
  /** What the words say of those payments, where they count them. With all of it, see `countPayments`, `seqs` are their newest events. */
  counted?: { payments: number; settled?: number; spend_micro?: bigint };
  /** The words hold for all that is found under the subject: every payment of it is their evidence, not only this one. */
  gathers?: true;
};

/** A detector's finding about an event. */
export type EventFinding = {
  detector: string;
  event: Pick<DetectionEvent, 'chain_seq' | 'id' | 'agent_id' | 'payee_id'>;
  finding: Finding;
};

/** The effective parameters of a detector, in the shape of its `params`. */
export type Params = Record<string, unknown>;

/** The description of a detector. */
export type CatalogEntry = {
  name: string;
  /** What it looks for: one sentence for a person. */
  about: string;
  /** Its parameters, each with a default and a description. */
  params: z.ZodObject;
  /** It judges only for organizations that have turned it on. */
  off_by_default?: true;
  /** What it finds follows from what a payment is worth: an event that gets its price later is judged by it once more. */
  by_price?: true;
  /** One alert a subject, whichever agent it was; else one for each agent. */
  whichever_agent?: true;
};

/** A detector judges an event only by its context and parameters: `judge` is pure, and tests call it directly. */
export type Detector<Shown extends VerdictContext = Context> = CatalogEntry & {
  /** From when on it asks for baselines with these parameters; one that has no `needs` never does. */
  needs?(params: Params): Partial<Needs>;
  /**
   * What it finds is rare for the agent, not wrong by itself: unless somebody has set its parameters, it is weighed against the alert budget.
   * `asks` says from what on a look at conduct matters to it; `rarity`, how often a finding of its own is to be expected.
   */
  behavioral?: {
    asks?(params: Params): Partial<Asks>;
    rarity?(event: DetectionEvent, context: Shown, spreads: Spreads): Rarity;
  };
  /** What is wrong whoever does it, though the rest of what it finds is only rare: it is judged first, and by itself. */
  wrong?(event: DetectionEvent, context: Shown, params: Params): Finding | null;
  judge(event: DetectionEvent, context: Shown, params: Params): Finding | Finding[] | null;
};

/** A detector that looks at verdicts alone. */
export type VerdictDetector = Detector<VerdictContext>;

/** Ties the parameters that `needs` and `judge` are given to the schema that declares them. */
export const detector = <Schema extends z.ZodObject, Shown extends VerdictContext = Context>(
  definition: Omit<Detector<Shown>, 'params' | 'needs' | 'judge' | 'behavioral' | 'wrong'> & {
    params: Schema;
    needs?(params: z.infer<Schema>): Partial<Needs>;
    behavioral?: {
      asks?(params: z.infer<Schema>): Partial<Asks>;
      rarity?(event: DetectionEvent, context: Shown, spreads: Spreads): Rarity;
    };
    wrong?(event: DetectionEvent, context: Shown, params: z.infer<Schema>): Finding | null;
    judge(event: DetectionEvent, context: Shown, params: z.infer<Schema>): Finding | Finding[] | null;
  },
): Detector<Shown> => definition as Detector<Shown>;

/** An event with a finding that a detector made when time had passed, not when the event came. */
export type TimedFinding = { event: DetectionEvent; finding: Finding };

/** A detector of what does not happen: it is asked as time goes by, by the schedule process, and over the past by a back-test. */
export type TimedDetector = CatalogEntry & {
  /** Goes through a log in its order; whatever time passes is told by when the events were received. For back-tests and benchmarks. */
  replay(params: Params): TimedReplay;
};

export type TimedReplay = {
  /** Findings that became overdue before this event was received. */
  take(event: DetectionEvent): TimedFinding[];
  /** Findings overdue at the end, in milliseconds since 1970. */
  end(now: number): TimedFinding[];
};
