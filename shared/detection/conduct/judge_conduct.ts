import { asksOf, type Asks } from '#shared/detection/model/asks.ts';
import type { Context, Detector, Finding } from '#shared/detection/model/detector.ts';
import { firstFrom, type History, paidWithin } from '#shared/detection/model/history.ts';
import type { Severity } from '#shared/casework/alerts.ts';
import { isBelow, severityOfFinding } from '#shared/detection/model/score.ts';
import { learnCountry } from '#shared/detection/model/countries_paid.ts';
import { firstDayAt, learnFirstDay } from '#shared/detection/model/first_days.ts';
import { firstWeekOf, learnFirstWeek } from '#shared/detection/model/first_weeks.ts';
import { learnLargest } from '#shared/detection/model/largest_paid.ts';
import { learnDay, learnNewCurrency, noteBeginning, type Spreads, teaches } from '#shared/detection/model/spreads.ts';
import type { Active } from '#shared/detection/settings/detector_settings.ts';
import {
  beginsSpending,
  counts,
  type DetectionEvent,
  isPaid,
  type Payment,
  spendOf,
} from '#shared/events/log/payment.ts';
import { once } from '#shared/values/once.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { amongPayers } from './among_payers.ts';
import { applyLessons, type Lessons } from './lessons.ts';
import { isHeldForMore } from './record.ts';
import { isCut } from '#shared/detection/model/near_hours.ts';
import { usualCurrency } from './look_at_currency.ts';
import { drainOf } from './look_at_first_week.ts';
import { lookAtPace } from './look_at_pace.ts';
import { type Eyes, isOfRecord, type Look } from './look.ts';
import { lookAtPayment } from './look_at_payment.ts';
import { atItsHour } from './own_hour.ts';
import { weighAgainstBudget } from './weigh_against_budget.ts';

/**
 * How conduct is judged in a log: what the detectors ask, the alert budget, what is learned of the organization as events pass, and what people
 * taught.
 */
export type Conduct = {
  asks: Asks;
  budget: number;
  spreads: Spreads;
  lessons: Lessons;
  /** Detectors that are in shadow. */
  in_shadow: ReadonlySet<string>;
  /** The severities below which detectors raise no alert. */
  floors: ReadonlyMap<string, Severity>;
  /** By agent, the payments that were found unusual since the lessons were read. */
  told: Map<string, Set<string>>;
};

/** What the detectors that judge by rarity ask, of those that are active. */
export const asksOfActive = (active: readonly Active<Detector>[]): Asks =>
  asksOf(active.filter(isByRarity).map(({ detector, params }) => detector.behavioral?.asks?.(params) ?? {}));

/** Whether a detector judges by rarity; where somebody has set its parameters, it keeps to them. */
export const isByRarity = ({ detector, is_set }: Active<Detector>): boolean =>
  detector.behavioral !== undefined && !is_set;

/**
 * Judges what an agent does with an event: looks at it from all sides, together with what detectors have found by themselves, and weighs it
 * against the alert budget. One finding, of the strongest detector; what many agents do is another. What detectors in shadow see is weighed by
 * itself, so that it neither adds to what is told nor hides it. What is ordinary only by payments that a live alert tells of goes on with that
 * alert. Changes `conduct.spreads`, which learn once a day of an agent, and `conduct.told`.
 */
export function judgeConduct(
  event: DetectionEvent,
  context: Context,
  candidates: readonly Look[],
  conduct: Conduct,
): { detector: string; finding: Finding }[] {
  const { agent_id } = event;
  const { resolved, dismissed } = conduct.lessons.closed.get(agent_id) ?? {};
  const begins = beginsDay(event, context.history);
  noteBeginning(conduct.spreads, event.occurred_at);
  if (begins) learnDay(conduct.spreads, event.occurred_at);
  const learns = once(() => teaches(conduct.spreads, agent_id, event.occurred_at));
  const found = weigh(event, context, candidates, conduct, { passed_over: resolved, dismissed, begins, learns });
  const isOwn = ({ detector, is_alone }: Judged) => !is_alone && !conduct.in_shadow.has(detector);
  const open = found.some(isOwn) ? null : openOf(context, agent_id, conduct);
  const again = open
    ? weigh(event, context, candidates, conduct, {
        passed_over: new Set([...(resolved ?? []), ...open.payments]),
        dismissed,
        begins: false,
        learns: () => false,
      })
    : [];
  const all = [
    ...found,
    ...again.filter(isOwn).map(each => (each.finding.of_days ? each : goingOn(each, open?.latest ?? 0))),
  ];
  noteTold(all.filter(isOwn), context, agent_id, conduct);
  learnPaid(event, context, conduct.spreads);
  if (!all.some(({ finding }) => finding.of_days)) learnNewPayee(event, context, conduct.spreads);
  return all.map(({ detector, finding }) => ({ detector, finding }));
}

/**
 * Notes what the organization has to know of every payment: the largest as they settle, for some are canceled before, where they go, and in which
 * currency. Changes `spreads`.
 */
function learnPaid(event: DetectionEvent, context: Context, spreads: Spreads): void {
  const { payment, former, countries, history } = context;
  const { agent_id, type, payee_country: country } = event;
  if (payment.settled && former?.settled !== true)
    learnLargest(spreads.largest, agent_id, Number(spendOf(payment)) / 1e6);
  if (spreads.countries && counts(type) && isPaid(payment) && country !== null && !countries.has(country))
    learnCountry(spreads.countries, country, countries.size === 0);
  if (usualCurrency(event, context)) learnNewCurrency(spreads);
  const first_day = beginsSpending(type, payment, former) ? firstDayAt(history, payment.paid_at ?? 0) : null;
  if (first_day !== null) learnFirstDay(spreads.first_days, Math.log(first_day));
}

/** Notes how a new payee begins, but for what is told: a drain of one agent is no precedent for that of the next. Changes `spreads`. */
function learnNewPayee(
  { type, payee_id }: DetectionEvent,
  { payment, former, history }: Context,
  { first_weeks }: Spreads,
): void {
  if (!beginsSpending(type, payment, former)) return;
  const week = firstWeekOf(payment, payee_id, history);
  if (week) learnFirstWeek(first_weeks, week, payment);
}

/** Whether a payment has come to cost something, or more than it did, or something else at another payee. */
const isNewlyPaid = ({ type }: DetectionEvent, { payment, former }: Context): boolean =>
  counts(type) && isPaid(payment) && !(former && isPaid(former) && isSettledAsHeld(payment, former));

/** Whether it costs no more than when it was looked at: the same in its own currency is no more, as rates change while a bank takes its time. */
function isSettledAsHeld({ payee_id, price_key, paid_micro }: Payment, former: Payment): boolean {
  if (former.paid_micro === 0n) return false;
  if (former.payee_id !== payee_id) return paid_micro === former.paid_micro;
  const most = former.price_key === price_key ? (former.paid_micro * MOST_OF_RATES) / 100n : former.paid_micro;
  return paid_micro <= most;
}
/** What else changes so much in price is worth another look. */
const MOST_OF_RATES = 110n;

/** Whether a payment has settled for all that was held where others were held for more than they came to: nothing has told of it yet. */
function isTakenInFull(
  { agent_id, payment_id }: DetectionEvent,
  { payment, former, history }: Context,
  { told, lessons }: Conduct,
): boolean {
  if (!payment.settled || !isPaid(payment) || former?.settled !== false || !isPaid(former)) return false;
  if (told.get(agent_id)?.has(payment_id) || lessons.open.get(agent_id)?.has(payment_id)) return false;
  return history.paid.some(isHeldForMore);
}

/** A finding; `is_alone`: it is about what many agents do. */
type Judged = { detector: string; finding: Finding; is_alone: boolean };

const goingOn = ({ finding, ...judged }: Judged, latest: number): Judged => ({
  ...judged,
  finding: {
    ...finding,
    explanation: `${finding.explanation} What its open alerts tell of is not counted as usual.`,
    goes_on: latest,
  },
});

/** Looks at an event, with what people made of its agent's payments, and weighs what was seen. */
function weigh(
  event: DetectionEvent,
  context: Context,
  candidates: readonly Look[],
  conduct: Conduct,
  { begins, learns, ...taught }: Pick<Eyes, 'passed_over' | 'dismissed'> & { begins: boolean; learns: () => boolean },
): Judged[] {
  const { history, payment, former } = context;
  const looks = [...candidates];
  if (isNewlyPaid(event, context) || isTakenInFull(event, context, conduct)) {
    const learnsOfDay = !(former && isPaid(former)) && isFirstPaidOfDay(payment, history) && learns();
    if (learnsOfDay || mattersAsPayment(event, context, conduct))
      looks.push(...lookAtPayment(event, context, { ...conduct, learns: learnsOfDay, ...taught }));
  }
  const learnsPace = begins && learns();
  if (!former && (learnsPace || mattersAsPace(event, history, conduct.asks)))
    looks.push(...lookAtPace(event, context, { ...conduct, learns: learnsPace, ...taught }));
  if (looks.length === 0) return [];
  const weighed = applyLessons(
    amongPayers(atItsHour(looks, event, context, isOfRecord(taught)), event, context),
    event,
    conduct.lessons,
  );
  const isInShadow = ({ detector }: Look) => conduct.in_shadow.has(detector);
  const told = weighed.filter(look => !isInShadow(look));
  return [
    told.filter(look => !look.stands_alone),
    told.filter(look => look.stands_alone),
    weighed.filter(isInShadow),
  ].flatMap((list): Judged[] => {
    const judged = weighAgainstBudget(list, event.occurred_at, conduct.budget);
    return judged ? [{ ...judged, is_alone: list[0]?.stands_alone === true }] : [];
  });
}

/** Alerts of more payments than this tell of what the agent does now, and are part of its record. */
export const MOST_OPEN = 12;

/**
 * The payments of other days that live alerts on the agent's conduct tell of, with those of half the amount or more within a day of them, and when
 * the latest of those told was; null where there are none, or where they are no small part of all.
 */
function openOf({ history, payment }: Context, agent_id: string, { lessons, told }: Conduct) {
  const [stored, since] = [lessons.open.get(agent_id), told.get(agent_id)];
  if (!stored && !since) return null;
  const at = payment.paid_at ?? payment.latest_at;
  const isOfAnotherDay = ({ paid_at }: Payment) => Math.abs((paid_at ?? 0) - at) > DAY;
  const tellOf = new Set([...(stored ?? []), ...(since ?? [])]);
  const named = [...tellOf].flatMap(id => {
    const one = history.by_id.get(id);
    return one && one.paid_at !== null && isOfAnotherDay(one) ? [one] : [];
  });
  if (named.length === 0) return null;
  const others = history.paid.filter(isOfAnotherDay);
  const isOfThem = (other: Payment) =>
    named.some(
      each => Math.abs((each.paid_at ?? 0) - (other.paid_at ?? 0)) <= DAY && other.paid_micro * 2n >= each.paid_micro,
    );
  const open = others.filter(isOfThem);
  if (open.length === 0 || open.length * 2 > others.length) return null;
  return {
    payments: open.map(({ payment_id }) => payment_id),
    latest: Math.max(...named.map(({ paid_at }) => paid_at ?? 0)),
  };
}

function noteTold(found: readonly Judged[], { history }: Context, agent_id: string, { told, floors }: Conduct) {
  for (const { detector, finding } of found) {
    if (finding.seqs.length > MOST_OPEN || isBelow(severityOfFinding(finding), floors.get(detector) ?? 'low')) continue;
    const of_finding = new Set(finding.seqs);
    const list = told.get(agent_id) ?? new Set();
    told.set(agent_id, list);
    for (const { newest_seq, payment_id } of history.paid) if (of_finding.has(newest_seq)) list.add(payment_id);
  }
}

/** Whether the event's payment is the agent's latest, and the first of its day (UTC). */
function beginsDay({ payment_id, occurred_at }: DetectionEvent, { payments }: History): boolean {
  const [before, latest] = [payments.at(-2), payments.at(-1)];
  return (
    latest?.payment_id === payment_id &&
    latest.events === 1 &&
    before !== undefined &&
    dayOf(before.started_at) !== dayOf(occurred_at)
  );
}

/** Whether nothing that the agent began as late or later was paid on the day (UTC) on which this payment was, or after it. */
function isFirstPaidOfDay({ payment_id, paid_at }: Payment, { payments }: History): boolean {
  const before = payments.findLast(other => other.payment_id !== payment_id && other.paid_at !== null)?.paid_at;
  return typeof before === 'number' && paid_at !== null && dayOf(before) < dayOf(paid_at);
}

const dayOf = (time: number) => Math.floor(time / DAY);

/** Cheap: no look at money or payees could matter otherwise. */
function mattersAsPayment(event: DetectionEvent, context: Context, { asks }: Pick<Conduct, 'asks'>): boolean {
  const { history, payment, is_new_payee, new_payees, countries, between } = context;
  const usd = Number(payment.paid_micro) / 1e6;
  if (usd >= asks.amount_usd && isHigh(payment, history)) return true;
  const at = payment.paid_at ?? event.occurred_at;
  if (spentNear(at, HOUR, history, between) > asks.hour_usd || spentNear(at, DAY, history, between) > asks.day_usd)
    return true;
  if (usualCurrency(event, context)) return true;
  // A payment that comes late may be the first.
  if (drainOf(event, context, { asks }) !== null) return true;
  if (!is_new_payee) return false;
  const isAbroad = event.payee_country !== null && !countries.has(event.payee_country) && usd >= asks.country_usd;
  return isAbroad || usd > asks.new_payee_usd || new_payees.length >= asks.new_payees;
}

/** Whether no more than a tenth of the payments at hand are as large. */
function isHigh({ paid_micro }: Payment, { payments }: History): boolean {
  const most = payments.length / 10 + 1;
  let as_large = 0;
  for (const other of payments) if (other.paid_micro >= paid_micro && (as_large += 1) > most) return false;
  return true;
}

/** What was spent so long (milliseconds) before or after a time, in dollars: no stretch of that length around it holds more. */
function spentNear(at: number, length: number, history: History, between: Context['between']): number {
  let spent = 0;
  for (const { paid_micro } of paidWithin(history, at - length, at + length)) spent += Number(paid_micro);
  const summed =
    at - length < history.complete_from ? Number(between(at - length - MINUTE, at + length).spend_micro) : 0;
  return Math.max(spent, summed) / 1e6;
}

/** Cheap: no look at the pace could matter otherwise. */
function mattersAsPace({ occurred_at: at }: DetectionEvent, history: History, { per_minute, per_hour }: Asks): boolean {
  const { payments } = history;
  const since = (length: number) => firstFrom(payments, at + length) - firstFrom(payments, at - length);
  return isCut(history, at) || since(DAY) >= per_hour || since(MINUTE) >= per_minute;
}
