import type { PackReport } from '#shared/packs/report/report.ts';
import { createTally } from '#shared/packs/report/tally.ts';
import type { PackContents } from './pack_world.ts';

/** The report of these contents. */
export function reportOf(pack: PackContents): PackReport {
  const tally = createTally(pack.header);
  for (const event of pack.events) tally.event(event);
  for (const item of pack.evidence) tally.evidence(item);
  for (const run of pack.verifications) tally.verification(run);
  for (const version of pack.mandates) tally.mandate(version);
  for (const evaluation of pack.evaluations) tally.evaluation(evaluation);
  for (const alert of pack.alerts) tally.alert(alert);
  for (const screening of pack.screenings) tally.screening(screening);
  tally.case(pack.case);
  return tally.report();
}
