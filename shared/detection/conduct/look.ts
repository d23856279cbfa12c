import type { Asks } from '#shared/detection/model/asks.ts';
import type { CatalogEntry, Context, Finding } from '#shared/detection/model/detector.ts';
import type { Rarity } from '#shared/detection/model/rarity.ts';
import type { Peers } from '#shared/detection/model/peers.ts';
import type { Spreads } from '#shared/detection/model/spreads.ts';
import { type Payment, spendOf } from '#shared/events/log/payment.ts';
import { timesText } from '#shared/detection/model/wording.ts';
import { MINUTE } from '#shared/values/time.ts';
import type { AgentHour } from '#shared/detection/model/baseline.ts';
import { type OwnPaid, type PaidPayment, spanOf } from './record.ts';
import type { Told } from './words.ts';

/**
 * What a look at an event came to: how many like it are `expected` of the agent in a month, and how many such looks there are in a month
 * (`per_month`). Looks of one group see the same thing from different sides.
 */
export type Look = {
  detector: string;
  group: 'money' | 'pace' | 'novelty';
  /** It is about what many agents do, which this one's conduct adds nothing to: what its detector makes of it is the least it scores. */
  stands_alone?: boolean;
  least_score?: number;
  /** It is about what several days come to. */
  of_days?: true;
  expected: number;
  per_month: number;
  /** How many like it are expected in a month as the beginning of something new; absent where that would not explain it. */
  begins?: number;
  tell: () => Told;
  /** By how much what surrounds it, such as the time of day, has changed `expected`, and that in sentences. */
  times?: number;
  around?: string[];
  /** By how much what people made of its like has changed `expected`, and that in a sentence. */
  taught?: number;
  lesson?: string;
};

/** A look that is so many `times` as common by what is `known` beside the record: a clause, which the explanation has where it matters; null: nowhere. */
export function moreOften(look: Look, times: number, known: string | null): Look {
  const expected = look.expected * times;
  if (Math.max(times, 1 / times) < LEAST_TOLD) return { ...look, expected };
  const comparison = times < 1 ? `${timesText(1 / times)} times as rare` : `${timesText(times)} times as likely`;
  return {
    ...look,
    expected,
    times: (look.times ?? 1) * times,
    around: [...(look.around ?? []), ...(known === null ? [] : [`${known}, which makes this ${comparison}.`])],
  };
}

/** What makes something more or less likely by less is not worth a sentence. */
const LEAST_TOLD = 1.25;

/** What a detector has found by itself, with how often it is to be expected; its payments are those at hand that it names. */
export const lookOf = (
  { name, whichever_agent }: Pick<CatalogEntry, 'name' | 'whichever_agent'>,
  { title, explanation, subject, score, seqs }: Finding,
  { history, payment }: Pick<Context, 'history' | 'payment'>,
  { among, ...rarity }: Rarity,
): Look => ({
  detector: name,
  group: 'novelty',
  ...(whichever_agent && { stands_alone: true, least_score: score }),
  ...rarity,
  tell() {
    const referenced = history.payments.filter(
      ({ latest_seq, newest_seq }) => seqs.includes(latest_seq) || seqs.includes(newest_seq),
    );
    const payments = referenced.length > 0 ? referenced : [payment];
    const own = new Set(payments.flatMap(({ latest_seq, newest_seq }) => [latest_seq, newest_seq]));
    return {
      title,
      reason: observedIn(explanation),
      subject,
      payments,
      among,
      seqs: seqs.filter(seq => !own.has(seq)),
    };
  },
});

/** What a rule's explanation says was observed: its first sentence, without from what on the rule alone would tell of it. */
const observedIn = (explanation: string): string =>
  (explanation.split(/\.(?= [A-Z]|$)/)[0] ?? '').replace(/[;,] an alert is raised.*$/, '');

/**
 * What is looked at, what has been learned of the organization's agents, whether it is to learn from this agent now, and which of its payments
 * (`payment_id`) are no part of what is usual for it, and which are usual because people dismissed alerts on them.
 */
export type Eyes = {
  asks: Asks;
  spreads: Spreads;
  learns: boolean;
  passed_over?: ReadonlySet<string> | undefined;
  dismissed?: ReadonlySet<string> | undefined;
};

/** What is part of an agent's record: all but what people resolved as justified, see `Lessons`. */
export const isOfRecord = ({
  passed_over,
}: Pick<Eyes, 'passed_over'>): ((payment: Pick<Payment, 'payment_id'>) => boolean) =>
  passed_over ? ({ payment_id }) => !passed_over.has(payment_id) : () => true;

/**
 * A list without what is no part of the record, but for the stretch `[from, to)` that is held against it: the list, and where that stretch is in it.
 * `paymentAt`: the payment at a place of the list.
 */
export function heldAgainst<Each>(
  all: readonly Each[],
  [from, to]: [number, number],
  { passed_over }: Pick<Eyes, 'passed_over'>,
  paymentAt: (place: number) => Payment | undefined,
): HeldAgainst<Each> {
  if (!passed_over) return { list: all, inside: [from, to] };
  const isKept = (_each: Each, place: number) =>
    (place >= from && place < to) || !passed_over.has(paymentAt(place)?.payment_id ?? '');
  const start = all.slice(0, from).filter(isKept).length;
  return { list: all.filter(isKept), inside: [start, start + to - from] };
}

type HeldAgainst<Each> = { list: readonly Each[]; inside: [number, number] };

/** What of it lies outside the stretch. */
export const outsideOf = <Each>({ list, inside: [from, to] }: HeldAgainst<Each>): readonly Each[] => [
  ...list.slice(0, from),
  ...list.slice(to),
];

/** What lies in a stretch but is usual because people dismissed alerts on it: it is held against what does, and adds up with none of it. */
export const setAside = (
  { all, own }: Pick<RecordAround, 'all' | 'own'>,
  inside: readonly [number, number],
  { dismissed }: Pick<Eyes, 'dismissed'>,
): ReadonlySet<PaidPayment> => {
  if (!dismissed || dismissed.size === 0) return nothing;
  const isOne = ({ payment }: PaidPayment) => payment !== own.payment && dismissed.has(payment.payment_id);
  return new Set(all.slice(...inside).filter(isOne));
};
const nothing: ReadonlySet<PaidPayment> = new Set();

/** An agent's record around a payment: all that was paid, and what lies `apart` of it. */
export type RecordAround = {
  own: OwnPaid;
  all: readonly PaidPayment[];
  /** Those that were the first to their payee. */
  firsts: () => ReadonlySet<Payment>;
  /** How far from the payment the record begins (milliseconds), and which of all lie nearer. */
  apart: number;
  near: [number, number];
  past: readonly PaidPayment[];
  /** Those over the rail of the payment; null where all are. */
  kin: readonly PaidPayment[] | null;
  /** What nine in ten of those stay within, in dollars, drawn toward what those of its peers do. */
  high: () => number;
  /** Agents that pay over the same rail; null where they are too few, or not alike. */
  peers: Peers | null;
  /** How long it reaches back, in milliseconds and months. */
  reach: number;
  span: number;
  /** What is known hour by hour of the time before that, and over how many months all of it reaches. */
  older: readonly AgentHour[];
  /** The highest mean of an hour's payments in that time, in dollars. */
  older_usd: number;
  age: number;
  /** How often in a month something new begins as this payment does; and how often that is the use of a rail, for the sums that it explains. */
  begins: number;
  new_rail: number;
  /** It is over a rail that is new to the agent, for nothing that is named, to a wallet for which nobody is named. */
  to_nobody: boolean;
};

/**
 * A large payment by itself comes so many times as often as the record says: who buys little buys something large now and then, often from
 * somebody new. Who misuses an agent seldom leaves it at one.
 */
export const ALONE = 3;

/** How often a payment is so many times as large as any before: measured on others' worlds and public generators. */
export const AMOUNTS_LEAP = { often: 24, power: 2.2 };

/** A new task comes to known payees, in many payments, to many new payees, or to a new country, each this part of the time. */
export const PART_OF_TASKS = 0.3;

export const wholeMinutes = (at: number, length: number): [number, number] => {
  const end = at - (at % MINUTE) + MINUTE;
  return [end - length, end];
};

export const reachOf = (hours: readonly { hour: number }[]): number =>
  spanOf(hours[0]?.hour ?? 0, hours.at(-1)?.hour ?? 0);

/** A payment that is older than all at hand is not among them. */
export const withOwn = (members: readonly PaidPayment[], own: PaidPayment): readonly PaidPayment[] =>
  members.some(({ payment }) => payment === own.payment) ? members : [own, ...members];

export const spendVelocity = { detector: 'spend_velocity', group: 'money' } as const;

/** What was spent in a stretch; of a busy agent, whose payments at hand do not reach back so far, from its minutes. */
export function spentWithin(
  { history, between }: Context,
  members: readonly PaidPayment[],
  at: number,
  length: number,
): bigint {
  const at_hand = members.reduce((sum, { payment }) => sum + spendOf(payment), 0n);
  if (at - length >= history.complete_from) return at_hand;
  const { spend_micro } = between(...wholeMinutes(at, length));
  return spend_micro > at_hand ? spend_micro : at_hand;
}
