import type { FirstWeek } from '#shared/detection/model/first_weeks.ts';
import { countriesText, dateText, timesText } from '#shared/detection/model/wording.ts';
import { countryInText, countryName } from '#shared/values/countries.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { formatDuration } from '#shared/values/time.ts';
import type { OwnPaid, PaidPayment, WithinTime } from './record.ts';
import {
  dollars,
  mostText,
  othersText,
  outsideText,
  paymentsOf,
  paymentsText,
  type Reach,
  recordText,
  shareWithin,
  sumOf,
  type Told,
} from './words.ts';

export function tellKnownPayee(own: OwnPaid, to_payee: readonly PaidPayment[], { apart }: Reach): Told {
  const amount = formatUsdMicro(own.spend_micro);
  const usual = shareWithin(to_payee, 0.5);
  return {
    title: `${amount} to {payee}, which usually gets about ${dollars(usual)}`,
    reason:
      `${amount} to {payee} is ${timesText(own.usd / usual)} times what it usually gets from the agent; the median of ${to_payee.length} ` +
      `payments to it ${outsideText(apart)} is ${dollars(usual)}, and the largest was ${dollars(shareWithin(to_payee, 1))}`,
    price: amount,
    among: 'payments to it',
    subject: own.payee_id,
    payments: paymentsOf([own]),
  };
}

export function tellCurrency(own: OwnPaid, currency: string, usual: string): Told {
  const amount = formatUsdMicro(own.spend_micro);
  return {
    title: `${amount} to {payee} in ${currency}, which the agent pays in ${usual}`,
    reason: `the agent paid {payee} ${amount} in ${currency}; its other payments of $1 or more to it, as far as their currency is known, were in ${usual}`,
    price: amount,
    among: 'payments',
    subject: own.payee_id,
    payments: paymentsOf([own]),
  };
}

/** `least`: from so many dollars on payments are counted; `most`: so many of them one payee got before. */
export function tellOnePayee(
  members: readonly PaidPayment[],
  { payee_id }: Pick<OwnPaid, 'payee_id'>,
  past: readonly PaidPayment[],
  { most, least }: { most: number; least: number },
  reach: Reach,
): Told {
  const within = `within ${formatDuration(reach.apart)}`;
  const made = `${paymentsText(members.length)} to {payee} ${within}`;
  const sum = `${formatUsdMicro(sumOf(members))} in total`;
  const others = least === 0 ? '' : ` of ${dollars(least)} or more`;
  return {
    title: `${made}, ${sum}`,
    reason: `the agent made ${made}, ${sum}; of ${recordText(past.length, reach)}, ${most === 0 ? 'none' : `no more than ${most}`}${others} went to one payee ${within}`,
    among: 'payments',
    subject: payee_id,
    payments: paymentsOf(members),
  };
}

export function tellPayees(news: readonly PaidPayment[], length: number, episodes: readonly WithinTime[]): Told {
  const within = formatDuration(length);
  const most = Math.max(...episodes.map(({ new_payees }) => new_payees));
  return {
    title: `${news.length} new payees within ${within}`,
    reason:
      `the agent paid ${news.length} payees for the first time within ${within}, ${formatUsdMicro(sumOf(news))} in total; ` +
      othersText(episodes.length, within, 'paid', null, String(most)),
    among: 'such periods',
    subject: '',
    payments: paymentsOf(news),
  };
}

/** `news`: those of the payments that were the first to their payee; where they are many, it is rare among them. */
export function tellNewPayee(
  own: OwnPaid,
  past: readonly PaidPayment[],
  news: readonly PaidPayment[],
  isAmongNews: boolean,
  reach: Reach,
): Told {
  return {
    title: `${formatUsdMicro(own.spend_micro)} to {payee}, never paid before`,
    reason:
      `the agent's first payment to {payee} is ${formatUsdMicro(own.spend_micro)}; of ${recordText(past.length, reach)}, ${partText(news.length, past.length)} went to a new payee, ` +
      (isAmongNews ? `and of those, ${mostText(news)}` : `and ${mostText(past)}`),
    price: formatUsdMicro(own.spend_micro),
    among: 'first payments to a payee',
    subject: own.payee_id,
    payments: paymentsOf([own]),
  };
}

export function tellNewRail(own: OwnPaid, past: readonly PaidPayment[], reach: Reach): Told {
  const over = past.filter(({ payment }) => payment.rail === own.payment.rail).length;
  return {
    title: `${formatUsdMicro(own.spend_micro)} to a wallet that names nobody`,
    reason:
      `the agent's first payment to {payee}, ${formatUsdMicro(own.spend_micro)} over the ${own.payment.rail} rail, goes to a wallet for which nobody is named, and names nothing that it is for; ` +
      `of ${recordText(past.length, reach)}, ${partText(over, past.length)} went over that rail`,
    price: formatUsdMicro(own.spend_micro),
    among: 'payments',
    subject: own.payee_id,
    payments: paymentsOf([own]),
  };
}

export function tellCountry(
  own: OwnPaid,
  country: string,
  countries: readonly string[],
  payments: number,
  reach: Reach,
): Told {
  return {
    title: `Payment to {payee} in a new country: ${countryName(country)}`,
    reason: `${formatUsdMicro(own.spend_micro)} went to {payee} in ${countryInText(country)}; until now, the agent paid only in ${countriesText(countries)} (${paymentsText(payments)} over ${formatDuration(reach.reach)})`,
    price: formatUsdMicro(own.spend_micro),
    among: 'first payments to a payee',
    subject: country,
    payments: paymentsOf([own]),
  };
}

/** `before`: so many other payees the agent began to pay, `as_many` of them as often; `others`: the same of the organization's agents. */
export function tellFirstWeek(
  subject: string,
  { since, payments, days }: FirstWeek,
  spent: bigint,
  { before, as_many, others }: { before: number; as_many: number; others: { all: number; as_many: number } },
): Told {
  const wereOf = (count: number, payees: string) =>
    `${count === 0 ? 'none' : count.toLocaleString('en-US')} of ${payees}`;
  const paid = (count: number) => `${count > 1 ? 'were' : 'was'} paid on as many days of the first week`;
  const many = Math.round(others.as_many);
  const of_others = `some ${Math.round(others.all).toLocaleString('en-US')}${before === 0 ? ' payees' : ''} that the organization's agents began to pay`;
  const own = `${wereOf(as_many, `the ${before} payees at hand that it began to pay before`)} ${paid(as_many)}, and `;
  return {
    title: `${payments.length} payments on ${days} days to {payee}, new to the agent: ${formatUsdMicro(spent)}`,
    reason:
      `the agent first paid {payee} on ${dateText(since)}, and made ${payments.length} payments of $1 or more to it on ${days} of the seven days from then on (UTC), ${formatUsdMicro(spent)} in total; ` +
      (before === 0 ? `${wereOf(many, of_others)} ${paid(many)}` : `${own}${wereOf(many, of_others)}`),
    among: 'new payees',
    subject,
    payments,
  };
}

/** `before`: so many other payees the agent began to pay, of which one got `most` in its first week, in dollars. */
export function tellFirstWeekTotal(
  subject: string,
  { since, payments }: FirstWeek,
  spent: bigint,
  { before, most }: { before: number; most: number },
): Told {
  return {
    title: `${payments.length} payments to {payee}, new to the agent: ${formatUsdMicro(spent)}`,
    reason:
      `the agent first paid {payee} on ${dateText(since)}, and made ${payments.length} payments of $1 or more to it on the first seven days (UTC), ${formatUsdMicro(spent)} in total; ` +
      `of the ${before} payees at hand that it began to pay before, none got more than ${dollars(most)} in its first week`,
    among: 'new payees',
    subject,
    payments,
  };
}

const partText = (part: number, all: number) =>
  part === 0 ? 'none' : part === 1 ? 'one' : part === all ? 'all' : part.toLocaleString('en-US');
