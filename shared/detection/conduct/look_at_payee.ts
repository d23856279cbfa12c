import type { Context } from '#shared/detection/model/detector.ts';
import { shareOfCountry } from '#shared/detection/model/countries_paid.ts';
import { expectedAbove, months } from '#shared/detection/model/rarity.ts';
import { spreadOf } from '#shared/detection/model/spreads.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { ALONE, type Eyes, type Look, PART_OF_TASKS, type RecordAround } from './look.ts';
import { lnOf, type PaidPayment } from './record.ts';
import { tellCountry, tellNewPayee, tellNewRail } from './words_of_payees.ts';

/** How often it pays somebody new so much, and somebody new in a new country. */
export function lookAtPayee(
  { payee_country: country }: DetectionEvent,
  { countries, history }: Context,
  { own, firsts, apart, past, kin, reach, span, begins, new_rail, to_nobody }: RecordAround,
  { asks, spreads }: Eyes,
): Look[] {
  const news = past.filter(({ payment }) => firsts().has(payment));
  const per_month = rateOfNews(news, own.at, span);
  const spread = spreadOf(spreads, 'amount');
  const isAlike = ({ payment }: PaidPayment) => payment.rail === own.payment.rail;
  const expectedAmong = (paid: readonly PaidPayment[], share: number) =>
    paid.length === 0 ? 0 : expectedAbove(own.ln, { values: lnOf(paid), per_month: per_month * share }, spread);
  const expectedOf = (paid: readonly PaidPayment[]) => {
    const alike = kin ? paid.filter(isAlike) : [];
    return Math.max(expectedAmong(paid, 1), expectedAmong(alike, alike.length / Math.max(1, paid.length)));
  };
  const share_of_news = Math.min(1, news.length / LEAST_NEW);
  const among = Math.max(share_of_news * expectedOf(news), share_of_news < 1 ? expectedOf(past) : 0);
  const looks: Look[] = [];
  if (own.usd > asks.new_payee_usd) {
    const tell = () => tellNewPayee(own, past, news, share_of_news === 1, { apart, reach });
    const often = { expected: ALONE * among, per_month: ALONE * per_month };
    looks.push({ ...newPayee, ...often, begins: begins + new_rail, tell });
    if (to_nobody) {
      const tellRail = () => tellNewRail(own, past, { apart, reach });
      looks.push({ ...newPayee, expected: begins + new_rail, per_month: (past.length + 1) / span, tell: tellRail });
    }
  }
  if (country === null || countries.has(country) || countries.size === 0 || own.usd < asks.country_usd) return looks;
  const oldest = history.payments[0]?.latest_seq ?? 0;
  const others = [...countries.values()].filter(seq => seq >= oldest).length - 1;
  const usual = PEERS * (spreads.countries ? shareOfCountry(spreads.countries, country) : 0);
  const share = Math.min(1, (Math.max(0, others) + 0.5 + usual) / (news.length + 2 + usual));
  const tell = () => tellCountry(own, country, [...countries.keys()], past.length, { apart, reach });
  looks.push({
    detector: 'country_change',
    group: 'novelty',
    expected: Math.min(per_month, 2 * among) * share,
    per_month,
    begins: begins * PART_OF_TASKS + new_rail,
    tell,
  });
  return looks;
}

export const newPayee = { detector: 'new_payee_high_amount', group: 'novelty' } as const;

/**
 * How often in a month the agent pays somebody new. Whom it pays it comes to know in its first weeks, so the later half of the record tells, and
 * all of it for a part: who has not paid anybody new for a month will hardly begin today.
 */
export function rateOfNews(news: readonly PaidPayment[], at: number, span: number): number {
  const recent = news.filter(other => months(at - other.at) < span / 2).length;
  return (recent + EARLIER * (news.length + 0.5)) / (span / 2 + EARLIER * (span + 0.1));
}

/** How much all first payments weigh beside those of the later half. */
const EARLIER = 0.25;

/** Where all agents pay to a country, that is worth so many first payments of its own to another one there. */
const PEERS = 4;

/** Of so many first payments at hand those alone tell what first payments come to; of fewer, all payments do, and those for their part. */
const LEAST_NEW = 8;
