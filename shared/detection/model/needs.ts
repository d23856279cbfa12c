import { bigMin } from './score.ts';

/** From how many payments of an agent in a minute or an hour, or above how much spending, a detector asks for the agent's baseline. */
export type Needs = { per_minute: number; per_hour: number; spend_micro: bigint };

/** The least thresholds of the detectors that judge; where none of them asks for baselines, nothing reaches them. */
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

/** A detector as far as it says what it needs, with its effective parameters. */
type Needing = {
  detector: { needs?(params: Record<string, unknown>): Partial<Needs> };
  params: Record<string, unknown>;
};

/** More than any sum of amounts that fit 8 bytes. */
const NEVER = 2n ** 127n;
