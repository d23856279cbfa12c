import type { Context } from '#shared/detection/model/detector.ts';
import { excessOfPeers } from '#shared/detection/model/peers.ts';
import { expectedAbove, expectedOfLeap, months } from '#shared/detection/model/rarity.ts';
import { learnSpread, type Measure, spreadOf } from '#shared/detection/model/spreads.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import {
  ALONE,
  spendVelocity,
  heldAgainst,
  spentWithin,
  withOwn,
  type Eyes,
  type Look,
  PART_OF_TASKS,
  reachOf,
  type RecordAround,
  setAside,
  wholeMinutes,
} from './look.ts';
import { lookAtFirstDay } from './look_at_first_day.ts';
import {
  type WithinTime,
  episodesOfHours,
  episodesOfNews,
  episodeOf,
  episodesOutside,
  type EpisodePart,
  type OwnPaid,
  type PaidPayment,
  lnUsd,
  stretchAround,
} from './record.ts';
import { isCut, nearHours } from '#shared/detection/model/near_hours.ts';
import { tellExcess, tellMany, tellSpend, type Told } from './words.ts';
import { tellPayees } from './words_of_payees.ts';

/** Lengths of time within which spending, payments and new payees are added up. */
const stretches = [HOUR, 6 * HOUR, DAY];
/** So many payments more or less are chance: two where there was one at a time are nothing. */
const CHANCE = 4;
/** A payee that has got two thirds of it before is not paid more than it is accustomed to. */
const ACCUSTOMED = 1.5;
/** Cents after a large purchase add nothing to what was spent: a payment of less than this part of the mean is not asked about it. */
const LEAST_PART = 10;
/** The prior of how far payments exceed the usual weighs half as much again as others: it is measured on each agent's own scale already. */
const EXCESS_WEIGHT = 6;
/** The busiest stretch is looked for, around every payment: numbers as high come twice as often as in stretches one after the other. */
const BUSIEST = 2;

/** A question about a stretch: a look where it is asked, else null; what it is answered by, and what is learned for it. */
type Question = {
  measure: Measure;
  asked: Pick<Look, 'detector' | 'group'> | null;
  learns: boolean;
  /** So many times as often as the stretches at hand say. */
  times?: number;
  value: number;
  valueOf: (episode: WithinTime) => number;
  /** How far it must lie above the median of the stretches at hand. */
  beyond?: number;
  /** Values that stand for what its peers do. */
  of_peers?: () => readonly number[];
  /** How often it leaps so far beyond all of them. */
  leap?: (episodes: readonly WithinTime[]) => number;
  tell: (episodes: readonly WithinTime[]) => Told;
  /** The stretches like it before all payments at hand, where those are known. */
  older: () => readonly WithinTime[];
};

/** What was spent, to how many new payees, and how far above the usual, within an hour, six hours and a day. */
export function lookAtStretches(context: Context, scene: RecordAround, eyes: Eyes, hasRecord: boolean): Look[] {
  const { history } = context;
  const { own, all, firsts, apart, near, high } = scene;
  const hours = isCut(history, own.at) ? nearHours(history, own.at) : null;
  const span = hours ? months(reachOf(hours)) : scene.span;
  let moments: EpisodePart[] | null = null;
  return stretches.flatMap((length): Look[] => {
    const inside = length === apart ? near : stretchAround(all, own.at, length);
    const aside = setAside(scene, inside, eyes);
    const around = all.slice(...inside);
    const members = aside.size > 0 ? around.filter(member => !aside.has(member)) : around;
    const questions = questionsOf(context, scene, members, length, eyes).filter(
      ({ measure, asked, learns }) => (asked !== null || learns) && (hasRecord || measure === 'excess'),
    );
    // Most payments are nothing to ask about: the past is gone through where something is asked.
    if (questions.length === 0) return [];
    moments ??= all.map(({ at, usd, payment }): EpisodePart => ({
      at,
      usd,
      is_new: firsts().has(payment),
      excess: excessOver(high(), usd),
    }));
    const held = heldAgainst(moments, inside, eyes, place => all[place]?.payment);
    const outside = hours ? episodesOfHours(hours, own.at, length) : episodesOutside(held.list, held.inside, length);
    const dismissed = aside.size > 0 ? moments.filter((_, place) => aside.has(all[place] ?? own)) : [];
    const episodes = dismissed.length > 0 && !hours ? [...outside, episodeOf(dismissed)] : outside;
    const looks = episodes.length === 0 && length === DAY && hasRecord ? lookAtFirstDay(context, scene, eyes) : [];
    const asked_looks = questions.flatMap(
      ({
        measure,
        asked,
        learns,
        times = 1,
        value,
        valueOf,
        beyond,
        of_peers,
        leap = () => Infinity,
        tell,
        older,
      }): Look[] => {
        const before = older();
        const compared = [...episodes, ...before];
        const own_values = compared.map(valueOf);
        if (learns) learnSpread(eyes.spreads, measure, own_values);
        const values = [...own_values, ...(of_peers?.() ?? [])];
        if (!asked || values.length === 0 || (beyond !== undefined && !isBeyond(value, own_values, beyond))) return [];
        const per_month = (times * (compared.length + 1)) / (before.length > 0 ? scene.age : span);
        const weight = measure === 'excess' ? EXCESS_WEIGHT : undefined;
        const by_tail = Math.max(
          expectedAbove(value, { values, per_month }, spreadOf(eyes.spreads, measure), weight),
          // Whatever its peers do, an agent is expected to do again what it did before.
          (per_month * own_values.filter(other => other >= value).length) / (own_values.length + 1),
        );
        const expected = Math.min(by_tail, leap(compared));
        const isCounted = measure === 'payments' || measure === 'payees';
        const begins = scene.begins * (isCounted ? PART_OF_TASKS : 1) + (measure === 'payments' ? 0 : scene.new_rail);
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
  const isMuch = Number(spent) / 1e6 > (length === HOUR ? asks.hour_usd : asks.day_usd);
  const made = paymentsWithin(context, members, own.at, length);
  const isPartOfIt = own.usd * LEAST_PART * Math.max(1, made) >= Number(spent) / 1e6;
  const spend: Question = {
    measure: 'spend',
    asked: isMuch && isPartOfIt ? spendVelocity : null,
    learns,
    value: Math.log(Number(spent) / 1e6),
    valueOf: lnUsd,
    beyond: Math.log(length === HOUR ? asks.hour_times : asks.day_times),
    tell: episodes => tellSpend(spent, length, withOwn(members, own), episodes),
    older,
  };
  const many: Question = {
    measure: 'payments',
    asked: length !== HOUR && isMuch ? spendVelocity : null,
    learns,
    times: BUSIEST,
    value: Math.log(CHANCE + made),
    valueOf: ({ payments }) => Math.log(CHANCE + payments),
    tell: episodes => tellMany([made, spent], length, withOwn(members, own), episodes),
    older,
  };
  // Of a busy agent whole hours are known, and in them neither payees nor single payments.
  if (isBusy) return [spend, many];
  const news = own.is_new ? members.filter(member => scene.firsts().has(member.payment)) : [];
  const payees: Question = {
    measure: 'payees',
    asked:
      news.length >= asks.new_payees &&
      news.reduce((sum, { usd }) => sum + usd, 0) >= LEAST_FANNED_USD &&
      !areNewPayeesUsual(scene)
        ? payeeFanOut
        : null,
    // When the agent came to its payees is known where it comes to one.
    learns: learns && own.is_new,
    value: Math.log(1 + news.length),
    valueOf: ({ new_payees }) => Math.log(1 + new_payees),
    leap: episodes =>
      length === HOUR ? expectedOfLeap(news.length / mostNews(episodes), past.length, NEWS) : Infinity,
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

/** Whether a value lies so far above the median of others, the lower of two in the middle; with none it does. */
function isBeyond(value: number, others: readonly number[], far: number): boolean {
  let below = 0;
  for (const other of others) if (other + far <= value) below += 1;
  return below > (others.length - 1) >> 1;
}

/** Where nearly all of so many payments went to new payees, how many do says nothing beside how many there are. */
const [NEARLY_ALL, LEAST_KNOWN] = [0.8, 20];

const areNewPayeesUsual = ({ past, firsts }: RecordAround): boolean =>
  past.length >= LEAST_KNOWN && past.filter(({ payment }) => firsts().has(payment)).length >= NEARLY_ALL * past.length;

/** Cents to many are nothing that anybody has to see to. */
const LEAST_FANNED_USD = 1;

const mostNews = (episodes: readonly WithinTime[]) => Math.max(1, ...episodes.map(({ new_payees }) => new_payees));

/** How often so many times as many payees are new within an hour, measured as the other leaps are. */
const NEWS = { often: 100, power: 3 };

const payeeFanOut = { detector: 'payee_fan_out', group: 'novelty' } as const;
export const amountOutlier = { detector: 'amount_outlier', group: 'money' } as const;

/** Whether the payee got as much before, or payments before all at hand came to as much, in the mean of an hour. */
export const isAccustomed = (
  { payee_id, usd }: Pick<OwnPaid, 'payee_id' | 'usd'>,
  { past, older_usd }: Pick<RecordAround, 'past' | 'older_usd'>,
): boolean =>
  older_usd * ACCUSTOMED >= usd ||
  past.some(other => other.payment.payee_id === payee_id && other.usd * ACCUSTOMED >= usd);

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
