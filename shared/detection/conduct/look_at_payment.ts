import { LEAST_PAYMENTS } from '#shared/detection/model/asks.ts';
import type { Context } from '#shared/detection/model/detector.ts';
import { learnFirstDay } from '#shared/detection/model/first_days.ts';
import { excessOfPeers, learnPeers, type Peers, peersOf } from '#shared/detection/model/peers.ts';
import { expectedAbove, expectedOfNewConduct, months } from '#shared/detection/model/rarity.ts';
import { learnSpread, type Measure, spreadOf } from '#shared/detection/model/spreads.ts';
import { type DetectionEvent, spendOf } from '#shared/events/log/payment.ts';
import { once } from '#shared/values/once.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import {
  ALONE,
  spendVelocity,
  heldAgainst,
  outsideOf,
  spentWithin,
  withOwn,
  type Eyes,
  type Look,
  PART_OF_TASKS,
  reachOf,
  type RecordAround,
  wholeMinutes,
} from './look.ts';
import { lookAtFirstDay } from './look_at_first_day.ts';
import { lookAtPayee } from './look_at_payee.ts';
import {
  type WithinTime,
  episodesOfHours,
  episodesOfNews,
  episodesOutside,
  firstPayments,
  isCut,
  lnOf,
  type EpisodePart,
  olderHours,
  type OwnPaid,
  type PaidPayment,
  paidPayments,
  lnUsd,
  nearHours,
  nineTenths,
  spanOf,
  stretchAround,
} from './record.ts';
import { tellAmount, tellExcess, tellMany, tellPayees, tellSpend, type Told } from './words.ts';

/** Lengths of time within which spending, payments and new payees are added up. */
const stretches = [HOUR, 6 * HOUR, DAY];
/** So many payments more or less are chance: two where there was one at a time are nothing. */
const CHANCE = 4;
/** A payee that has got two thirds of it before is not paid more than it is accustomed to. */
const ACCUSTOMED = 1.5;
/** What a payment is held against lies outside its day; while the record is no longer than this and there are no peers, outside its six hours. */
const YOUNG = 3 * DAY;
/** The prior of how far payments exceed the usual weighs half as much again as others: it is measured on each agent's own scale already. */
const EXCESS_WEIGHT = 6;
/** Peers make up for so many months of an agent's own record, and no more: it may do something else than they do. */
const MOST_OF_PEERS = months(3 * DAY);
/** The busiest stretch is looked for, around every payment: numbers as high come twice as often as in stretches one after the other. */
const BUSIEST = 2;

/**
 * Looks at money and payees with a payment that has just become spending. Pure, but for what `eyes.spreads` learns where that is asked for.
 */
export function lookAtPayment(event: DetectionEvent, context: Context, eyes: Eyes): Look[] {
  const { payment } = context;
  const all = paidPayments(context.history);
  const at = payment.paid_at ?? event.occurred_at;
  const spend_micro = spendOf(payment);
  const usd = Number(spend_micro) / 1e6;
  const own: OwnPaid = {
    at,
    spend_micro,
    usd,
    ln: Math.log(usd),
    payee_id: event.payee_id,
    is_new: context.is_new_payee,
    payment,
  };
  const reach = spanOf(all[0]?.at ?? at, all.at(-1)?.at ?? at);
  const isOnOneRail = all.every(other => other.payment.rail === payment.rail);
  const peers = isOnOneRail ? peersOf(eyes.spreads.peers, payment.rail) : null;
  const apart = reach > YOUNG || peers ? DAY : 6 * HOUR;
  const near = stretchAround(all, at, apart);
  const past = outsideOf(heldAgainst(all, near, eyes, place => all[place]?.payment));
  const older = olderHours(context.history, at, Math.min(eyes.asks.hour_usd, eyes.asks.day_usd));
  const age = Math.max(months(reach), months(at - (older[0]?.hour ?? at)));
  const known = age + (peers ? Math.min(MOST_OF_PEERS, (peers.weight * months(reach)) / (past.length + 1)) : 0);
  const begins = expectedOfNewConduct(known) * (own.is_new ? 1 : PART_OF_TASKS);
  const scene: RecordAround = {
    own,
    all,
    firsts: firstPayments(context.history, { payment, is_new: context.is_new_payee }),
    apart,
    near,
    past,
    high: once(() => highOf(past, peers)),
    peers,
    reach,
    span: months(reach),
    older,
    older_usd: highestMean(older),
    age,
    begins,
  };
  const hasRecord = all.length > LEAST_PAYMENTS;
  return [
    ...(hasRecord ? [] : lookAtFirstDay(context, scene, eyes)),
    ...(hasRecord ? lookAtAmount(event.agent_id, scene, eyes) : []),
    ...lookAtStretches(context, scene, eyes, hasRecord),
    ...(own.is_new && past.length > 0 && hasRecord ? lookAtPayee(event, context, scene, eyes) : []),
  ];
}

function lookAtAmount(
  agent_id: string,
  { own, apart, past, high, reach, span, older_usd, begins }: RecordAround,
  { asks, spreads, learns }: Eyes,
): Look[] {
  const isAsked =
    past.length > 0 && own.usd >= asks.amount_usd && own.usd > high() && !isAccustomed(own, { past, older_usd });
  if (!isAsked && !learns) return [];
  const sample = { values: lnOf(past), per_month: (past.length + 1) / span };
  const { rail } = own.payment;
  if (learns) learnSpread(spreads, 'amount', sample.values);
  if (learns && past.every(({ payment }) => payment.rail === rail))
    learnPeers(spreads.peers, rail, agent_id, sample.values);
  if (!isAsked) return [];
  const expected = ALONE * expectedAbove(own.ln, sample, spreadOf(spreads, 'amount'));
  const tell = () => tellAmount(own, past, { apart, reach });
  return [{ ...amountOutlier, expected, per_month: ALONE * sample.per_month, begins, tell }];
}

/** A question about a stretch: a look where it is asked, else null; what it is answered by, and what is learned for it. */
type Question = {
  measure: Measure;
  asked: Pick<Look, 'detector' | 'group'> | null;
  learns: boolean;
  /** So many times as often as the stretches at hand say. */
  times?: number;
  value: number;
  valueOf: (episode: WithinTime) => number;
  /** Values that stand for what its peers do. */
  of_peers?: () => readonly number[];
  tell: (episodes: readonly WithinTime[]) => Told;
  /** The stretches like it before all payments at hand, where those are known. */
  older: () => readonly WithinTime[];
};

/** What was spent, to how many new payees, and how far above the usual, within an hour, six hours and a day. */
function lookAtStretches(context: Context, scene: RecordAround, eyes: Eyes, hasRecord: boolean): Look[] {
  const { history } = context;
  const { own, all, firsts, apart, near, high } = scene;
  const hours = isCut(history, own.at) ? nearHours(history, own.at) : null;
  const span = hours ? months(reachOf(hours)) : scene.span;
  let moments: EpisodePart[] | null = null;
  return stretches.flatMap((length): Look[] => {
    const inside = length === apart ? near : stretchAround(all, own.at, length);
    const questions = questionsOf(context, scene, all.slice(...inside), length, eyes).filter(
      ({ measure, asked, learns }) => (asked !== null || learns) && (hasRecord || measure === 'excess'),
    );
    // Most payments are nothing to ask about: the past is gone through where something is asked.
    if (questions.length === 0) return [];
    moments ??= all.map(({ at, usd, payment }): EpisodePart => ({
      at,
      usd,
      is_new: firsts.has(payment),
      excess: excessOver(high(), usd),
    }));
    const held = heldAgainst(moments, inside, eyes, place => all[place]?.payment);
    const episodes = hours ? episodesOfHours(hours, own.at, length) : episodesOutside(held.list, held.inside, length);
    const [first] = episodes;
    if (length === DAY && eyes.learns && first && episodes.length === 1) learnFirstDay(eyes.spreads, lnUsd(first));
    const looks = episodes.length === 0 && length === DAY && hasRecord ? lookAtFirstDay(context, scene, eyes) : [];
    const asked_looks = questions.flatMap(
      ({ measure, asked, learns, times = 1, value, valueOf, of_peers, tell, older }): Look[] => {
        const before = older();
        const compared = [...episodes, ...before];
        const own_values = compared.map(valueOf);
        if (learns) learnSpread(eyes.spreads, measure, own_values);
        const values = [...own_values, ...(of_peers?.() ?? [])];
        if (!asked || values.length === 0) return [];
        const per_month = (times * (compared.length + 1)) / (before.length > 0 ? scene.age : span);
        const weight = measure === 'excess' ? EXCESS_WEIGHT : undefined;
        const expected = Math.max(
          expectedAbove(value, { values, per_month }, spreadOf(eyes.spreads, measure), weight),
          // Whatever its peers do, an agent is expected to do again what it did before.
          (per_month * own_values.filter(other => other >= value).length) / (own_values.length + 1),
        );
        const begins = scene.begins * (measure === 'payments' || measure === 'payees' ? PART_OF_TASKS : 1);
        return [{ ...asked, per_month, expected, begins, tell: () => tell(compared) }];
      },
    );
    return [...looks, ...asked_looks];
  });
}

function questionsOf(
  context: Context,
  scene: RecordAround,
  members: readonly PaidPayment[],
  length: number,
  { asks, learns, spreads }: Eyes,
): Question[] {
  const { own, apart, past, high, reach, peers } = scene;
  const { history } = context;
  const isBusy = isCut(history, own.at);
  const older = () => (isBusy ? [] : episodesOfHours(scene.older, own.at, length));
  const spent = spentWithin(context, members, own.at, length);
  const spend: Question = {
    measure: 'spend',
    asked: Number(spent) / 1e6 > (length === HOUR ? asks.hour_usd : asks.day_usd) ? spendVelocity : null,
    learns,
    value: Math.log(Number(spent) / 1e6),
    valueOf: lnUsd,
    tell: episodes => tellSpend(spent, length, withOwn(members, own), episodes),
    older,
  };
  const made = paymentsWithin(context, members, own.at, length);
  const many: Question = {
    measure: 'payments',
    asked: length === HOUR ? null : spend.asked,
    learns,
    times: BUSIEST,
    value: Math.log(CHANCE + made),
    valueOf: ({ payments }) => Math.log(CHANCE + payments),
    tell: episodes => tellMany([made, spent], length, withOwn(members, own), episodes),
    older,
  };
  // Of a busy agent whole hours are known, and in them neither payees nor single payments.
  if (isBusy) return [spend, many];
  const news = own.is_new ? members.filter(member => scene.firsts.has(member.payment)) : [];
  const payees: Question = {
    measure: 'payees',
    asked: news.length >= asks.new_payees ? payeeFanOut : null,
    // When the agent came to its payees is known where it comes to one.
    learns: learns && own.is_new,
    value: Math.log(1 + news.length),
    valueOf: ({ new_payees }) => Math.log(1 + new_payees),
    tell: episodes => tellPayees(news, length, episodes),
    older: () => episodesOfNews(history, own.at, length),
  };
  if (length !== apart) return [spend, many, payees];
  const isLarge = own.usd >= asks.amount_usd && own.usd > high() && !isAccustomed(own, scene);
  const isUnaccustomed = ({ usd, payment: { payee_id } }: PaidPayment) =>
    usd > high() && !isAccustomed({ payee_id, usd }, scene);
  const large = isLarge ? members.filter(isUnaccustomed) : [];
  const excess: Question = {
    measure: 'excess',
    asked: isLarge ? amountOutlier : null,
    learns,
    times: large.length > 1 ? 1 : ALONE,
    value: large.reduce((sum, { usd }) => sum + excessOver(high(), usd), 0),
    valueOf: episode => episode.excess,
    of_peers: () => (peers ? excessOfPeers(peers, spreadOf(spreads, 'excess')) : []),
    tell: () => tellExcess(own, large, past, { apart, reach }, peers),
    older: () => [],
  };
  return [spend, many, payees, excess];
}

const payeeFanOut = { detector: 'payee_fan_out', group: 'novelty' } as const;
const amountOutlier = { detector: 'amount_outlier', group: 'money' } as const;

/** Whether the payee got as much before, or payments before all at hand came to as much, in the mean of an hour. */
const isAccustomed = (
  { payee_id, usd }: Pick<OwnPaid, 'payee_id' | 'usd'>,
  { past, older_usd }: Pick<RecordAround, 'past' | 'older_usd'>,
): boolean =>
  older_usd * ACCUSTOMED >= usd ||
  past.some(other => other.payment.payee_id === payee_id && other.usd * ACCUSTOMED >= usd);

function highestMean(hours: RecordAround['older']): number {
  let most = 0;
  for (const { payments, spend_micro } of hours)
    if (payments > 0) most = Math.max(most, Number(spend_micro) / 1e6 / payments);
  return most;
}

/** How many payments a stretch has; of a busy agent from its minutes. */
function paymentsWithin(
  { history, between }: Context,
  members: readonly PaidPayment[],
  at: number,
  length: number,
): number {
  if (at - length >= history.complete_from) return members.length;
  return Math.max(members.length, between(...wholeMinutes(at, length)).payments);
}

/** How far an amount lies above another, on the scale of ln. */
const excessOver = (high: number, usd: number) => (usd > high ? Math.log(usd) - Math.log(high) : 0);

/** What nine in ten of an agent's payments stay within, in dollars, drawn toward its peers. A new agent may be one of the larger. */
function highOf(past: readonly PaidPayment[], peers: Peers | null): number {
  const own = nineTenths(past);
  if (!peers) return own;
  if (past.length === 0) return Math.exp(peers.high + peers.between);
  return Math.exp((past.length * Math.log(own) + peers.weight * peers.high) / (past.length + peers.weight));
}
