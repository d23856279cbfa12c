import type { z } from 'zod';
import type { Verdict } from '#shared/assessment/verdict.ts';
import type { Asks } from './asks.ts';
import type { Baseline } from './baseline.ts';
import type { History } from './history.ts';
import type { Needs } from './needs.ts';
import type { NamedPayee } from './almost_named.ts';
import type { PayeeState } from './payees.ts';
import type { Rarity } from './rarity.ts';
import type { Purpose } from './purpose.ts';
import type { ReportedAmount } from './reported_amount.ts';
import type { Spreads } from './spreads.ts';
import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import type { EventType } from '#shared/values/event_types.ts';

/** The context of a verdict detector, which is available whenever an event is assessed again. */
export type VerdictContext = { verdict: Verdict };

/** The context of an event: its verdict, and its agent's latest payments, including this one after the event. */
export type Context = VerdictContext & {
  payment: Payment;
  /** The payment before the event; undefined for its first event. */
  former: Payment | undefined;
  history: History;
  /** The agent has not paid this payee before, in order of occurrence. */
  is_new_payee: boolean;
  /** The agent's own rhythm of the last 30 days; costly, so call it last. */
  baseline: () => Baseline;
  /** The agent's activity in a window that reaches back further than `history`, in whole minutes. */
  between: (from: number, to: number) => { payments: number; spend_micro: bigint };
  /** The countries the agent paid to before this event, with the position of the first payment to each. */
  countries: ReadonlyMap<string, number>;
  /** When the agent first paid each of its latest payees, at most MOST_NEW_PAYEES, in order; including this event's. */
  new_payees: readonly number[];
  /** The payee of the event, including this event. */
  payee: PayeeState;
  /** All reports on the payment so far, this event last; empty unless they may contradict each other, see `mayContradict`. */
  reports: readonly PaymentReport[];
  /** What an event says that it is for, by its place in the log, where its payee is paid the same price more than once. */
  purposes: ReadonlyMap<number, Purpose>;
  /** The resource that a payment of the agent names, without its query, where a price may be dearer than with other queries. */
  endpointOf: (payment: Pick<Payment, 'payment_id'>) => string | undefined;
  /** The names of a payee that was never paid before, and of those that the agent paid last, by id. */
  names: ReadonlyMap<string, NamedPayee>;
  /** Another agent's payment of the same invoice, to the same payee and of the same price; null where none is known. */
  elsewhere: PaidElsewhere | null;
  /** What the log has taught about the organization's agents; a detector that learns from what it sees changes it. */
  spreads: Spreads;
};

/** Another agent's payment: one of its events, and when that occurred. */
export type PaidElsewhere = { chain_seq: number; payment_id: string; agent_name: string; occurred_at: number };

/** One event of a payment with contradicting events. */
export type PaymentReport = {
  chain_seq: number;
  source_id: string;
  /** The name of the source. */
  source_name: string;
  type: EventType;
  occurred_at: number;
  usd_micro: bigint | null;
  price_key: string;
  /** What it says was paid, in the units of its currency or asset; and for what kind of merchant (MCC, ISO 18245), null: it does not say. */
  amount: ReportedAmount;
  category: string | null;
  /** The payee that it names, and its canonical key. */
  payee_id: string;
  payee_key: string;
};

/** A detector's statement about an event. The texts may contain `{payee}`, which stands for the payee's name. */
export type Finding = {
  score: number;
  /** Only if it does not follow from the score. */
  severity?: 'low' | 'medium' | 'high' | 'critical';
  title: string;
  explanation: string;
  /** How the texts name the price of the event's payment. */
  price?: string;
  /** The subject of the alert, besides detector and agent: the payee's id, or empty. */
  subject: string;
  /** One event of each payment that the text is about, by chain_seq; if it counts payments, of each counted one. */
  seqs: number[];
  /** When the unusual conduct occurred: one alert covers it as long as it goes on. */
  conduct_at?: number;
  /** It tells of what several days come to: it is added to the live alert that tells of the same, however long ago. */
  of_days?: true;
  /** It is unusual only without the payments that a live alert tells of, of which the latest was then: it is added to that alert, and raises none. */
  goes_on?: number;
  /** What the text says about those payments, if it counts them. With all of it, see `countPayments`, `seqs` are their newest events. */
  counted?: { payments: number; settled?: number; spend_micro?: bigint };
  /** The text covers all findings of its subject: every payment of it is evidence, not only this one. */
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
  /** What it looks for, in one sentence for people. */
  about: string;
  /** Its parameters, each with a default and a description. */
  params: z.ZodObject;
  /** It only judges for organizations that have enabled it. */
  off_by_default?: true;
  /** How long after one of its alerts is closed no similar one is raised, in seconds, where a tenant has not set it. A day if it does not say. */
  cooldown_s?: number;
  /** Its findings depend on a payment's price: an event that is priced later is judged again. */
  by_price?: true;
  /** One alert per subject, whatever the agent; otherwise one per agent. */
  whichever_agent?: true;
};

/** A detector judges an event only by its context and parameters: `judge` is pure but for what `context.spreads` learns, and tests call it directly. */
export type Detector<Shown extends VerdictContext = Context> = CatalogEntry & {
  /** The thresholds from which it needs baselines with these parameters; without `needs` it never does. */
  needs?(params: Params): Partial<Needs>;
  /**
   * Its findings are rare for the agent, not wrong in themselves: unless its parameters have been set, they are weighed against the alert
   * budget. `asks`: the thresholds from which conduct matters to it; `rarity`: how often a finding of its own is expected.
   */
  behavioral?: {
    asks?(params: Params): Partial<Asks>;
    rarity?(event: DetectionEvent, context: Shown): Rarity;
  };
  /** Findings that are wrong for any agent, while the others are only rare: judged first and independently. */
  wrong?(event: DetectionEvent, context: Shown, params: Params): Finding | null;
  judge(event: DetectionEvent, context: Shown, params: Params): Finding | Finding[] | null;
  /** It goes by the event's payment alone, whatever else the agent has done. */
  of_payment_alone?: true;
};

/** A detector that uses only verdicts. */
export type VerdictDetector = Detector<VerdictContext>;

/** Binds the parameters of `needs` and `judge` to the schema that declares them. */
export const detector = <Schema extends z.ZodObject, Shown extends VerdictContext = Context>(
  definition: Omit<Detector<Shown>, 'params' | 'needs' | 'judge' | 'behavioral' | 'wrong'> & {
    params: Schema;
    needs?(params: z.infer<Schema>): Partial<Needs>;
    behavioral?: {
      asks?(params: z.infer<Schema>): Partial<Asks>;
      rarity?(event: DetectionEvent, context: Shown): Rarity;
    };
    wrong?(event: DetectionEvent, context: Shown, params: z.infer<Schema>): Finding | null;
    judge(event: DetectionEvent, context: Shown, params: z.infer<Schema>): Finding | Finding[] | null;
  },
): Detector<Shown> => definition as Detector<Shown>;

/** An event with a finding made when time had passed, not when the event arrived. */
export type TimedFinding = { event: DetectionEvent; finding: Finding };

/** A detector of what does not happen: the schedule process runs it as time passes, and a back-test over the past. */
export type TimedDetector = CatalogEntry & {
  /** Replays a log in its order; time passes with the events' arrival. For back-tests and benchmarks. */
  replay(params: Params): TimedReplay;
};

export type TimedReplay = {
  /** Findings that became overdue before this event was received. */
  take(event: DetectionEvent): TimedFinding[];
  /** Findings overdue at the end, in milliseconds since 1970. */
  end(now: number): TimedFinding[];
};
