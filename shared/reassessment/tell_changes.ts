import type { Db } from '#shared/platform/db.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import type { LoggedEvent } from '#shared/events/ranges/load.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import type { Verdict } from '#shared/assessment/verdict.ts';
import { verdictDetectors } from '#shared/detection/detectors/index.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';

/** An event with what is new in its verdict: only that is shown to the detectors. */
export type Changed = { event: LoggedEvent; verdict: Verdict };

/** Raises the alerts that changed verdicts call for, and moves the counters. Returns the webhooks to send. Comes last in a transaction. */
export async function tellChanges(
  tx: Db,
  tenant: Tenant,
  changed: readonly Changed[],
  now: number,
): Promise<Jobs['webhook'][]> {
  const active = await activeDetectors(tx, tenant, verdictDetectors);
  const findings = changed.flatMap(({ event, verdict }): EventFinding[] =>
    active.flatMap(({ detector, params }) =>
      [detector.judge(event, { verdict }, params) ?? []]
        .flat()
        .map(finding => ({ detector: detector.name, event, finding })),
    ),
  );
  const { jobs } = await tellFindings(tx, tenant, findings, active, now);
  await moveVersions(tx, tenant, ['alerts', 'mandates', 'verdicts']);
  return jobs;
}
