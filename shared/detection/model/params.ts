import { z } from 'zod';
import { MOST_PAYMENTS } from './history.ts';

/** A whole number, from `least` to `most`: a parameter cannot ask for more than is kept. */
export const count = (preset: number, title: string, description: string, { least = 1, most = 1_000_000 } = {}) =>
  z.int().min(least).max(most).default(preset).meta({ title, description });

/** The most payments of an agent that are kept besides the judged one. */
export const AT_HAND = MOST_PAYMENTS - 1;

/** A length of time in seconds, up to 400 days. */
export const seconds = (preset: number, title: string, description: string) =>
  z
    .int()
    .min(1)
    .max(400 * 86_400)
    .default(preset)
    .meta({ title, description: `${description}, in seconds` });

/** A multiplier or a statistical measure. Never money. */
export const factor = (preset: number, title: string, description: string, least = 0) =>
  z.number().min(least).max(1_000_000).default(preset).meta({ title, description });

/** A part of a whole, 0 to 1. */
export const share = (preset: number, title: string, description: string) =>
  z.number().min(0).max(1).default(preset).meta({ title, description });

/** An amount in US dollars as a decimal string with at most six places. `microUsd` reads it. */
export const usd = (preset: string, title: string, description: string) =>
  UsdText.default(preset).meta({ title, description: `${description}, in US dollars` });

export const UsdText = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,11})(?:\.\d{1,6})?$/, 'must be dollars in decimal digits, such as 0.05 or 100');

/** A parameter's amount in micro-USD. Cached, since the same texts are read again and again. */
export function microUsd(text: string): bigint {
  const cached = amounts.get(text);
  if (cached !== undefined) return cached;
  if (amounts.size >= MOST_AMOUNTS) amounts.clear();
  const [whole = '0', fraction = ''] = text.split('.');
  const micro = BigInt(whole + fraction.padEnd(6, '0'));
  amounts.set(text, micro);
  return micro;
}

const amounts = new Map<string, bigint>();
const MOST_AMOUNTS = 10_000;
