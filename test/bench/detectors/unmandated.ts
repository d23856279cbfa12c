import type { Generated } from '#bin/demo/generate.ts';
import type { JudgedAlert } from '#test/worlds/judge.ts';
import { unmandatedPayment } from '#shared/detection/detectors/unmandated_payment.ts';
import { type Measured, nothingMeasured, noFigures } from './measure.ts';

/** What the detector of payments without a mandate says, where it is turned on: agents that have none are told of, the others are not. */
export function measureUnmandated({ events, agreed, day }: Generated, alerts: readonly JudgedAlert[]): Measured {
  const told = new Set(alerts.map(({ agent_id }) => agent_id));
  // A mandate that ends does so before the day.
  const mandated = new Set(
    agreed.mandates.filter(({ valid_until }) => valid_until === undefined).map(({ agent }) => agent.external_id),
  );
  const paying = new Set(
    events
      .filter(event => Date.parse(event.occurred_at) >= day && event.type === 'payment.settled')
      .map(event => event.agent?.external_id ?? ''),
  );
  const without = [...paying].filter(agent => !mandated.has(agent));
  const wrong = [...mandated].filter(agent => told.has(agent));
  const found = without.filter(agent => told.has(agent)).length;
  const figures = {
    ...noFigures(),
    strong: { planted: without.length, found },
    answers: found,
    false_alarms: wrong.length,
  };
  return { ...nothingMeasured(), figures: new Map([[unmandatedPayment.name, figures]]) };
}
