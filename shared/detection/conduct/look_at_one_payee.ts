import type { Context } from '#shared/detection/model/detector.ts';
import { expectedOfLeap } from '#shared/detection/model/rarity.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import {
  type Eyes,
  heldAgainst,
  type Look,
  outsideOf,
  PART_OF_TASKS,
  type RecordAround,
  setAside,
  spendVelocity,
  withOwn,
} from './look.ts';
import { type PaidPayment, stretchAround } from './record.ts';
import { isCut } from '#shared/detection/model/near_hours.ts';
import { tellOnePayee } from './words_of_payees.ts';

/**
 * How many payments a payee gets within an hour, six hours and a day, against the most that any got outside them: who is caught in a loop, or
 * drained, pays one. How many it makes to all payees says less, as agents have busy days. Payments of about this size or more are compared by
 * themselves too: who pays for calls all day does not pay one shop nine times.
 */
export function lookAtOnePayee({ history }: Context, scene: RecordAround, eyes: Eyes): Look[] {
  const { asks } = eyes;
  const { own, all, reach, span, begins } = scene;
  if (isCut(history, own.at)) return [];
  const isOwn = ({ payment }: PaidPayment) => payment.payee_id === own.payee_id;
  const sizes = [0, own.usd / AS_LARGE];
  return stretches.flatMap(({ length, tail }): Look[] => {
    const inside = stretchAround(all, own.at, length);
    const aside = setAside(scene, inside, eyes);
    const made = withOwn(
      all.slice(...inside).filter(member => isOwn(member) && !aside.has(member)),
      own,
    );
    const floor = length === HOUR ? asks.hour_usd : asks.day_usd;
    const isMany = (list: readonly PaidPayment[]) =>
      list.length >= LEAST_MANY && list.reduce((sum, { usd }) => sum + usd, 0) > floor;
    if (!isMany(made)) return [];
    const others = outsideOf(heldAgainst(all, inside, eyes, place => all[place]?.payment));
    const past = aside.size > 0 ? [...others, ...aside].toSorted((a, b) => a.at - b.at) : others;
    return sizes.flatMap((least): Look[] => {
      const isAsLarge = (each: PaidPayment) => each.usd >= least;
      const members = made.filter(isAsLarge);
      const most = mostToOne(past.filter(isAsLarge), length);
      const expected = expectedOfLeap(members.length / Math.max(1, most), past.length, tail);
      if (!isMany(members) || expected === Infinity || (least > 0 && wasBusy(members, scene))) return [];
      const tell = () => tellOnePayee(members, own, past, { most, least }, { apart: length, reach });
      return [
        { ...spendVelocity, expected, per_month: (past.length + 1) / span, begins: begins * PART_OF_TASKS, tell },
      ];
    });
  });
}

/**
 * Whether as much was spent in as many payments within an hour before all that are at hand, as with a batch that comes every other week: what sizes
 * the payments had then is not known.
 */
function wasBusy(members: readonly PaidPayment[], { older }: RecordAround): boolean {
  const spent = members.reduce((sum, { usd }) => sum + usd, 0);
  return older.some(
    ({ payments, spend_micro }) => payments >= members.length && Number(spend_micro) / 1e6 >= AS_BUSY * spent,
  );
}
const AS_BUSY = 0.8;

/** How often that is so many times as much, measured on others' worlds and public generators. */
const stretches = [
  { length: HOUR, tail: { often: 60, power: 3 } },
  { length: 6 * HOUR, tail: { often: 60, power: 3 } },
  { length: DAY, tail: { often: 120, power: 3 } },
];

/** Two thirds of a payment are about as much. */
const AS_LARGE = 1.5;

/** Fewer payments are few, whoever makes them. */
const LEAST_MANY = 4;

/** The most payments within `length` that one payee got, in the order in which they were paid. */
function mostToOne(past: readonly PaidPayment[], length: number): number {
  const recent = new Map<string, number[]>();
  let most = 0;
  for (const { at, payment } of past) {
    const times = recent.get(payment.payee_id ?? '') ?? [];
    recent.set(payment.payee_id ?? '', times);
    times.push(at);
    while ((times[0] ?? at) <= at - length) times.shift();
    most = Math.max(most, times.length);
  }
  return most;
}
