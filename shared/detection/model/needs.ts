import { bigMin } from './score.ts';

/** The payments in a minute or an hour, or the spend, from which a detector needs the agent's baseline. */
export type Needs = { per_minute: number; per_hour: number; spend_micro: bigint };

/** The lowest thresholds of these detectors; if none needs baselines, nothing reaches them. */
export const needsOf = (active: readonly Needing[]): Needs =>
  active
    .flatMap(({ detector, params }) => detector.needs?.(params) ?? [])
    .reduce<Needs>(
      (least, needs) => ({
        per_minute: Math.min(least.per_minute, needs.per_minute ?? Infinity),
        per_hour: Math.min(least.per_hour, needs.per_hour ?? Infinity),
        spend_micro: bigMin(least.spend_micro, needs.spend_micro ?? NEVER),
      }),
      { per_minute: Infinity, per_hour: Infinity, spend_micro: NEVER },
    );

/** A detector's `needs`, with its effective parameters. */
type Needing = {
  detector: { needs?(params: Record<string, unknown>): Partial<Needs> };
  params: Record<string, unknown>;
};

/** More than any sum of amounts that fit 8 bytes. */
const NEVER = 2n ** 127n;
