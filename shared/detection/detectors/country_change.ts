import { z } from 'zod';
import { countryInText, countryName, isCountry } from '#shared/values/countries.ts';
import { counts, type DetectionEvent, isPaid } from '#shared/events/log/payment.ts';
import { type Context, detector } from '#shared/detection/model/detector.ts';
import { AT_HAND, count, seconds } from '#shared/detection/model/params.ts';
import { countriesText } from '#shared/detection/model/wording.ts';
import { SECOND } from '#shared/values/time.ts';

/** The Financial Action Task Force's "High-Risk Jurisdictions subject to a Call for Action", 24 October 2025: North Korea, Iran, Myanmar. */
const highRiskCountries: readonly string[] = ['KP', 'IR', 'MM'];

/** A payment to a country that the agent has not paid to before, or to one of high risk. */
export const countryChange = detector({
  name: 'country_change',
  about: 'An agent pays to a new country, or to a high-risk country.',
  by_price: true,
  params: z.strictObject({
    least_payments: count(
      20,
      'Minimum payments',
      'Once parameters are set: payments an agent must have made before a country counts as new',
      {
        most: AT_HAND,
      },
    ),
    most_countries: count(
      8,
      'Maximum countries',
      'Agents that have paid to this many countries raise no alert for another one',
    ),
    known_s: seconds(
      7 * 86_400,
      'Known payee after',
      'A payee first paid by another agent longer ago than this is known, and raises no alert',
    ),
    high_risk_countries: z
      .array(z.string().refine(isCountry, 'must be an ISO 3166-1 alpha-2 code in upper case, such as IR'))
      .max(249)
      .default([...highRiskCountries])
      .meta({
        title: 'High-risk countries',
        description: 'Every payment to one of these countries raises an alert (ISO 3166-1 alpha-2 codes)',
      }),
  }),
  behavioral: { asks: () => ({ country_usd: LEAST_USD }) },
  wrong(event, context, { high_risk_countries: listed }) {
    const country = countryOf(event, context);
    // Judged once a payment: when it first counts, or when a later event names a country that is new.
    const isJudged = context.former && isPaid(context.former) && country !== null && context.countries.has(country);
    if (country === null || !listed.includes(country) || isJudged) return null;
    const name = countryName(country);
    return {
      score: 85,
      title: `Payment to {payee} in high-risk country ${name}`,
      explanation:
        `{payee} is in ${countryInText(country)}, which is on the list of high-risk countries (${countriesText([...new Set(listed)])}); ` +
        'every payment to one of them raises an alert. Sanctions may forbid it: find out who is paid and what for.',
      subject: country,
      seqs: [event.chain_seq],
    };
  },
  judge(event, context, params) {
    const country = countryOf(event, context);
    if (country === null || context.countries.has(country)) return null;
    if (isKnownToOthers(event, context, params.known_s)) return null;
    const compared = paymentsCompared(event, context);
    const { countries } = context;
    if (compared < params.least_payments || isAtHomeAbroad(countries.size, compared, params.most_countries))
      return null;
    return {
      score: 50,
      title: `Payment to {payee} in a new country: ${countryName(country)}`,
      explanation:
        `{payee} is in ${countryInText(country)}. This agent has paid to ${countriesText([...countries.keys()])} so far (${compared} earlier payments compared); ` +
        `an alert is raised for a new country from ${params.least_payments} payments on, until an agent has paid to ${params.most_countries} countries.`,
      subject: country,
      seqs: [event.chain_seq],
    };
  },
});

/** Three cents abroad wake nobody. */
const LEAST_USD = 1;

/** Where a payment that has been made goes to; null where that is not said. */
const countryOf = ({ payee_country, type }: DetectionEvent, { payment }: Context): string | null =>
  counts(type) && isPaid(payment) ? payee_country : null;

/**
 * How many of the agent's latest payments were made since it is known which countries it pays to. A source that begins to name
 * countries makes none of them new.
 */
function paymentsCompared({ payment_id }: DetectionEvent, { history, countries }: Context): number {
  const since = Math.min(...countries.values());
  return history.payments.filter(
    payment => payment.payment_id !== payment_id && payment.latest_seq >= since && isPaid(payment),
  ).length;
}

/** The agent pays for the first time a payee that others have been paying for long. */
const isKnownToOthers = ({ occurred_at }: DetectionEvent, { is_new_payee, payee }: Context, known_s: number) =>
  is_new_payee && (payee.first_paid_at ?? occurred_at) < occurred_at - known_s * SECOND;

/** An agent that travels comes to new countries all the time: it has paid to many, or to one in four payments. */
const isAtHomeAbroad = (countries: number, payments: number, most: number) =>
  countries >= most || countries * 4 >= payments;
