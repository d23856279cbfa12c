import { z } from 'zod';

/** How many agents of an organization have paid to a country, and to each. */
export const CountriesPaid = z.object({ agents: z.number(), by: z.record(z.string(), z.number()) });
export type CountriesPaid = z.infer<typeof CountriesPaid>;

export const nowherePaid = (): CountriesPaid => ({ agents: 0, by: {} });

/** Notes that an agent pays to a country for the first time; `is_first`: its first country. Changes `countries`. */
export function learnCountry(countries: CountriesPaid, country: string, is_first: boolean): void {
  if (is_first) countries.agents += 1;
  countries.by[country] = (countries.by[country] ?? 0) + 1;
}

/** The share of the organization's agents that pay to a country, drawn toward none while few are known. */
export const shareOfCountry = ({ agents, by }: CountriesPaid, country: string): number =>
  (by[country] ?? 0) / (agents + UNKNOWN);

const UNKNOWN = 3;
