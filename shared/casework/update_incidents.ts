import type { Db } from '#shared/platform/db.ts';
import type { Severity } from './alerts.ts';
import type { ReportedFinding } from './assigned_incident.ts';
import { groupAlerts } from './group_alerts.ts';
import { saveIncidents, takeIn } from './incident_store.ts';
import { loadIncidents, timesOf } from './load_incidents.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** An alert about to be written: a new or a growing one. */
export type AlertChange = {
  alert_id: string;
  is_new: boolean;
  /** It is more severe than before. */
  is_graver: boolean;
  agent_id: string;
  /** The agent whose alert it is; empty for one of several, which each event has of another. */
  dedup_agent_id: string;
  detector: string;
  /** The detector that raised it, and those by which it has been told since. */
  raised_by: string;
  told_by: ReadonlySet<string>;
  /** The detector and subject that its words were of until now; null for a new one. */
  told_before: { detector: string; subject: string } | null;
  subject: string;
  severity: Severity;
  score: number;
  title: string;
  /** The events with its findings, in the order of the log. */
  found_at: readonly number[];
};

/**
 * Gives every new alert its incident, as `groupAlerts` decides, and lets the incidents of growing alerts grow; their events are added once
 * they are linked, see `addEvents`. Returns the incident of each alert by the alert's id. Runs in the transaction that writes the alerts,
 * before that; the caller holds the incidents. The number of statements is constant.
 */
export async function updateIncidents(
  tx: Db,
  tenant: Tenant,
  changes: readonly AlertChange[],
  now: number,
): Promise<Map<string, string>> {
  if (changes.length === 0) return new Map();
  const moments = momentsOf(changes, await timesOf(tx, tenant, changes));
  const [fresh, grown] = [changes.filter(({ is_new }) => is_new), changes.filter(({ is_new }) => !is_new)];
  const stored = await loadIncidents(
    tx,
    tenant,
    moments,
    grown.map(({ alert_id }) => alert_id),
  );
  const plan = groupAlerts(moments, stored, now);
  await saveIncidents(tx, tenant, plan, fresh, now);
  await takeIn(tx, tenant, plan.merged);
  return plan.incident_of;
}

/** Identifies the alert within its incident, whichever process writes it. */
const keyOf = ({ detector, subject }: Pick<AlertChange, 'detector' | 'subject'>, dedup_agent_id: string) =>
  `${detector} ${dedup_agent_id} ${subject}`;

/** The findings in the order of the log; those at one event in the order of the alerts. */
function momentsOf(changes: readonly AlertChange[], times: ReadonlyMap<number, number>): ReportedFinding[] {
  return changes
    .flatMap(change => {
      const {
        alert_id,
        agent_id,
        dedup_agent_id,
        raised_by,
        told_by,
        told_before,
        severity,
        title,
        score,
        is_new,
        is_graver,
        found_at,
      } = change;
      return found_at.map((seq, index) => ({
        seq,
        moment: {
          alert_id,
          agent_id,
          detector: raised_by,
          at: times.get(seq) ?? 0,
          lead:
            index === 0 && (is_new || is_graver)
              ? {
                  severity,
                  title,
                  score,
                  key: keyOf(change, dedup_agent_id),
                  former_key: told_before && keyOf(told_before, dedup_agent_id),
                  detectors: told_by,
                }
              : null,
        },
      }));
    })
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ moment }) => moment);
}
