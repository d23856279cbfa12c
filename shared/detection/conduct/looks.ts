import type { Context, Finding } from '#shared/detection/model/detector.ts';
import { type DetectionEvent, spendOf } from '#shared/events/log/payment.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { type Asks, LEAST_PAYMENTS } from '#shared/detection/model/asks.ts';
import {
  expectedAbove,
  expectedOfNewConduct,
  months,
  type Rarity,
  type Sample,
  tailOf,
} from '#shared/detection/model/rarity.ts';
import { learnSpread, type Measure, type Spreads, spreadOf } from '#shared/detection/model/spreads.ts';
import {
  type Episode,
  episodesOfHours,
  episodesOutside,
  isCut,
  type Moment,
  type Paid,
  paidPayments,
  recentHours,
  spanOf,
  stretchAround,
} from './record.ts';
import { tellAmount, tellCountry, tellExcess, tellNewPayee, tellPayees, tellSpend, type Told } from './words.ts';

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

/** Lengths of time within which spending, payments and new payees are added up. */
const stretches = [HOUR, 6 * HOUR, DAY];
/** How often conduct begins that is new altogether, a month of an agent that is a month old, by what tells it. */
const newConduct: Record<Measure, number> = { amount: 0.05, spend: 0.05, pace: 0.02, payees: 0.015, excess: 0.05 };
/** A payee that has got two thirds of it before is not paid more than it is accustomed to. */
const ACCUSTOMED = 1.5;

/** An agent's record around a payment: all that was paid, what lies outside its day, and what nine in ten of those stay within. */
type Scene = {
  own: Paid;
  all: readonly Paid[];
  day: [number, number];
  past: readonly Paid[];
  high: number;
  /** How long it reaches back, in milliseconds and months. */
  reach: number;
  span: number;
};

/**
 * Looks at money and payees with a payment that has just become spending. Pure, but for what `eyes.spreads` learns where that is asked for.
 */
export function lookAtPayment(event: DetectionEvent, context: Context, eyes: Eyes): Look[] {
  const { payment } = context;
  const all = paidPayments(context.history, { payment, is_new: context.is_new_payee });
  if (all.length <= LEAST_PAYMENTS) return [];
  const at = payment.paid_at ?? event.occurred_at;
  const spend_micro = spendOf(payment);
  const usd = Number(spend_micro) / 1e6;
  const own = {
    at,
    spend_micro,
    usd,
    ln: Math.log(usd),
    payee_id: event.payee_id,
    is_new: context.is_new_payee,
    payment,
  };
  const day = stretchAround(all, at, DAY);
  const past = [...all.slice(0, day[0]), ...all.slice(day[1])];
  const high = nineTenths(past.map(({ ln }) => ln));
  const reach = spanOf(all[0]?.at ?? at, all.at(-1)?.at ?? at);
  const scene: Scene = { own, all, day, past, high, reach, span: months(reach) };
  return [
    ...lookAtAmount(scene, eyes),
    ...lookAtStretches(context, scene, eyes),
    ...(own.is_new && past.length > 0 ? lookAtPayee(event, context, scene, eyes) : []),
  ];
}

function lookAtAmount({ own, past, high, reach, span }: Scene, { asks, spreads, learns }: Eyes): Look[] {
  const sample = { values: past.map(({ ln }) => ln), per_month: (past.length + 1) / span };
  if (learns) learnSpread(spreads, 'amount', sample.values);
  if (past.length === 0 || own.usd < asks.amount_usd || own.ln <= high || isAccustomed(own, past)) return [];
  const expected = rarity('amount', own.ln, sample, spreads, span);
  const tell = () => tellAmount(own, past, reach);
  return [{ ...amountOutlier, expected, per_month: sample.per_month, tell }];
}

/** A question about a stretch: a look where it is asked, else null; what it is answered by, and what is learned for it. */
type Question = {
  measure: Measure;
  asked: Pick<Look, 'detector' | 'group'> | null;
  learns: boolean;
  value: number;
  valueOf: (episode: Episode) => number;
  tell: (episodes: readonly Episode[]) => Told;
};

/** What was spent, to how many new payees, and how far above the usual, within an hour, six hours and a day. */
function lookAtStretches(context: Context, scene: Scene, eyes: Eyes): Look[] {
  const { history } = context;
  const { own, all, day, high } = scene;
  const hours = isCut(history, own.at) ? recentHours(history, own.at) : null;
  const span = hours ? months(reachOf(hours)) : scene.span;
  let moments: Moment[] | null = null;
  return stretches.flatMap((length): Look[] => {
    const inside = length === DAY ? day : stretchAround(all, own.at, length);
    const questions = questionsOf(context, scene, all.slice(...inside), length, eyes).filter(
      ({ asked, learns }) => asked !== null || learns,
    );
    // Most payments are nothing to ask about: the past is gone through where something is asked.
    if (questions.length === 0) return [];
    moments ??= all.map((paid): Moment => ({ ...paid, excess: Math.max(0, paid.ln - high) }));
    const episodes = hours ? episodesOfHours(hours, own.at, length) : episodesOutside(moments, inside, length);
    if (episodes.length === 0) return [];
    const per_month = (episodes.length + 1) / span;
    return questions.flatMap(({ measure, asked, learns, value, valueOf, tell }): Look[] => {
      const sample = { values: episodes.map(valueOf), per_month };
      if (learns) learnSpread(eyes.spreads, measure, sample.values);
      if (!asked) return [];
      const expected = rarity(measure, value, sample, eyes.spreads, span);
      return [{ ...asked, per_month, expected, tell: () => tell(episodes) }];
    });
  });
}

function questionsOf(
  context: Context,
  { own, past, high, reach }: Scene,
  members: readonly Paid[],
  length: number,
  { asks, learns }: Eyes,
): Question[] {
  const spent = spentWithin(context, members, own.at, length);
  const spend: Question = {
    measure: 'spend',
    asked: Number(spent) / 1e6 > (length === HOUR ? asks.hour_usd : asks.day_usd) ? spendVelocity : null,
    learns,
    value: Math.log(Number(spent) / 1e6),
    valueOf: ({ usd }) => Math.log(Math.max(usd, 1e-6)),
    tell: episodes => tellSpend(spent, length, withOwn(members, own), episodes),
  };
  // Of a busy agent whole hours are known, and in them neither payees nor single payments.
  if (isCut(context.history, own.at)) return [spend];
  const news = own.is_new ? members.filter(({ is_new }) => is_new) : [];
  const payees: Question = {
    measure: 'payees',
    asked: news.length >= asks.new_payees ? payeeFanOut : null,
    // When the agent came to its payees is known where it comes to one.
    learns: learns && own.is_new,
    value: Math.log(1 + news.length),
    valueOf: ({ new_payees }) => Math.log(1 + new_payees),
    tell: episodes => tellPayees(news, length, episodes),
  };
  if (length !== DAY) return [spend, payees];
  const isLarge = own.ln > high && own.usd >= asks.amount_usd && !isAccustomed(own, past);
  const large = isLarge ? members.filter(member => member.ln > high && !isAccustomed(member, past)) : [];
  const excess: Question = {
    measure: 'excess',
    asked: isLarge ? amountOutlier : null,
    learns,
    value: large.reduce((sum, { ln }) => sum + ln - high, 0),
    valueOf: episode => episode.excess,
    tell: () => tellExcess(large, past, reach),
  };
  return [spend, payees, excess];
}

/** A payment that is older than all at hand is not among them. */
const withOwn = (members: readonly Paid[], own: Paid): readonly Paid[] =>
  members.some(({ payment }) => payment === own.payment) ? members : [own, ...members];

const spendVelocity = { detector: 'spend_velocity', group: 'money' } as const;
const payeeFanOut = { detector: 'payee_fan_out', group: 'novelty' } as const;
const amountOutlier = { detector: 'amount_outlier', group: 'money' } as const;

/** How often it pays somebody new so much, and somebody new in a new country. */
function lookAtPayee(
  { payee_country: country }: DetectionEvent,
  { countries, history }: Context,
  { own, past, high, reach, span }: Scene,
  { asks, spreads }: Eyes,
): Look[] {
  const news = past.filter(({ is_new }) => is_new);
  const per_month = (news.length + 0.5) / (span + 0.1);
  const spread = spreadOf(spreads, 'amount');
  const expectedOf = (paid: readonly Paid[]) =>
    paid.length === 0 ? 0 : expectedAbove(own.ln, { values: paid.map(({ ln }) => ln), per_month }, spread);
  const share_of_news = Math.min(1, news.length / LEAST_NEW);
  const among = Math.max(share_of_news * expectedOf(news), share_of_news < 1 ? expectedOf(past) : 0);
  const beginning = expectedOfNewConduct(newConduct.amount, own.ln - high, span) * Math.min(1, per_month);
  const looks: Look[] = [];
  if (own.usd > asks.new_payee_usd) {
    const tell = () => tellNewPayee(own, past, news.length, reach);
    looks.push({ detector: 'new_payee_high_amount', group: 'novelty', expected: among + beginning, per_month, tell });
  }
  if (country === null || countries.has(country) || countries.size === 0 || own.usd < asks.country_usd) return looks;
  const oldest = history.payments[0]?.latest_seq ?? 0;
  const others = [...countries.values()].filter(seq => seq >= oldest).length - 1;
  const share = Math.min(1, (Math.max(0, others) + 0.5) / (news.length + 2));
  const tell = () => tellCountry(own, country, [...countries.keys()], past.length, reach);
  looks.push({
    detector: 'country_change',
    group: 'novelty',
    expected: Math.min(per_month, 2 * among) * share,
    per_month,
    tell,
  });
  return looks;
}

/** Of so many first payments at hand those alone tell what first payments come to; of fewer, all payments do, and those for their part. */
const LEAST_NEW = 8;

/** What is to be expected a month by the record, and of conduct that is new altogether. */
export const rarity = (measure: Measure, value: number, sample: Sample, spreads: Spreads, span: number): number =>
  expectedAbove(value, sample, spreadOf(spreads, measure)) +
  expectedOfNewConduct(newConduct[measure], value - tailOf(sample.values).threshold, span);

const isAccustomed = ({ payee_id, usd }: Paid, past: readonly Paid[]): boolean =>
  past.some(other => other.payee_id === payee_id && other.usd * ACCUSTOMED >= usd);

/** What was spent in a stretch; of a busy agent, whose payments at hand do not reach back so far, from its minutes. */
function spentWithin({ history, between }: Context, members: readonly Paid[], at: number, length: number): bigint {
  const at_hand = members.reduce((sum, { spend_micro }) => sum + spend_micro, 0n);
  if (at - length >= history.complete_from) return at_hand;
  const { spend_micro } = between(...wholeMinutes(at, length));
  return spend_micro > at_hand ? spend_micro : at_hand;
}

export const wholeMinutes = (at: number, length: number): [number, number] => {
  const end = at - (at % MINUTE) + MINUTE;
  return [end - length, end];
};

/** What nine in ten of the values stay within. */
function nineTenths(values: readonly number[]): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.9))] ?? Infinity;
}

export const reachOf = (hours: readonly { hour: number }[]): number =>
  spanOf(hours[0]?.hour ?? 0, hours.at(-1)?.hour ?? 0);
