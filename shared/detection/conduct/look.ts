import type { Asks } from '#shared/detection/model/asks.ts';
import type { Context, Finding } from '#shared/detection/model/detector.ts';
import {
  expectedAbove,
  expectedOfNewConduct,
  type Rarity,
  type Sample,
  tailOf,
} from '#shared/detection/model/rarity.ts';
import { type Measure, type Spreads, spreadOf } from '#shared/detection/model/spreads.ts';
import { MINUTE } from '#shared/values/time.ts';
import { type Paid, spanOf } from './record.ts';
import type { Told } from './words.ts';

/**
 * What a look at an event came to: how many like it are `expected` in a month by what is usual for the agent, of how many looks a month
 * (`per_month`). Looks of one group see the same thing from different sides.
 */
export type Look = {
  detector: string;
  group: 'money' | 'pace' | 'novelty';
  expected: number;
  per_month: number;
  tell: () => Told;
  /** How what people made of its like has changed `expected`: a sentence. */
  lesson?: string;
};

/** What a detector has found by itself, with how often it is to be expected; its payments are those at hand that it names. */
export const lookOf = (
  detector: string,
  { title, explanation, subject, seqs }: Finding,
  { history, payment }: Pick<Context, 'history' | 'payment'>,
  rarity: Rarity,
): Look => ({
  detector,
  group: 'novelty',
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
      seqs: seqs.filter(seq => !own.has(seq)),
    };
  },
});

/** What a rule's explanation says was observed: its first sentence, without from what on the rule alone would tell of it. */
const observedIn = (explanation: string): string =>
  (explanation.split(/\.(?= [A-Z]|$)/)[0] ?? '').replace(/[;,] an alert is raised.*$/, '');

/** What is looked at, what has been learned of the organization's agents, and whether it is to learn from this agent now. */
export type Eyes = { asks: Asks; spreads: Spreads; learns: boolean };

/** An agent's record around a payment: all that was paid, what lies `apart` of it, and what nine in ten of those stay within. */
export type Scene = {
  own: Paid;
  all: readonly Paid[];
  /** How far from the payment the record begins (milliseconds), and which of all lie nearer. */
  apart: number;
  near: [number, number];
  past: readonly Paid[];
  high: number;
  /** How long it reaches back, in milliseconds and months. */
  reach: number;
  span: number;
};

/** What is to be expected a month by the record, and of conduct that is new altogether. */
export const rarity = (measure: Measure, value: number, sample: Sample, spreads: Spreads, span: number): number =>
  expectedAbove(value, sample, spreadOf(spreads, measure)) +
  expectedOfNewConduct(newConduct[measure], value - tailOf(sample.values).threshold, span);

/** How often conduct begins that is new altogether, a month of an agent that is a month old, by what tells it. */
export const newConduct: Record<Measure, number> = {
  amount: 0.05,
  spend: 0.05,
  payments: 0.02,
  pace: 0.02,
  payees: 0.015,
  excess: 0.05,
};

export const wholeMinutes = (at: number, length: number): [number, number] => {
  const end = at - (at % MINUTE) + MINUTE;
  return [end - length, end];
};

export const reachOf = (hours: readonly { hour: number }[]): number =>
  spanOf(hours[0]?.hour ?? 0, hours.at(-1)?.hour ?? 0);
