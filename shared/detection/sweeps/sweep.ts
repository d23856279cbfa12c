import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { isBehind } from '#shared/detection/consumer/behind.ts';
import { lockCursor } from '#shared/detection/consumer/cursor.ts';
import type { Raised } from '#shared/detection/consumer/raise_alerts.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import { settlementsOver } from './settlements.ts';
import { silences } from './silences.ts';
import type { LogProgress, SweepOf, TimedSetting } from './sweep_of.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import type { TimedDetector } from '#shared/detection/model/detector.ts';
import { awaitedRails } from '#shared/detection/model/settlement.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { activate, readSettings, settingAmong } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { warnOf } from '#shared/platform/warn_of.ts';
import { moveVersions } from '#shared/interface/versions.ts';

const sweeps: SweepOf[] = [...awaitedRails.map(settlementsOver), silences];

/** How many parts of a log are processed at a time, before others have their turn. */
const MOST_PARTS = 20;

/**
 * Asks the detectors of what does not happen what has become overdue, until `stopping`. Any number of processes may do so at once: each part
 * of a log moves its rows on in the transaction that tells of it. Returns the alerts that are new.
 */
export async function sweep(services: Services, stopping?: AbortSignal): Promise<Raised[]> {
  const raised: Raised[] = [];
  for (const each of sweeps) {
    for (const tenant of await each.due(services.db, services.now())) {
      if (stopping?.aborted) return raised;
      try {
        raised.push(...(await sweepLog(services, each, tenant)));
      } catch (error) {
        const { org_id } = tenant;
        warnOf(services.log, error, 'log not swept', { org_id, detector: each.detector.name });
      }
    }
  }
  return raised;
}

async function sweepLog(services: Services, each: SweepOf, tenant: Tenant): Promise<Raised[]> {
  const { db, queue, metrics, log, now } = services;
  const raised: Raised[] = [];
  for (let part = 0; part < MOST_PARTS; part += 1) {
    const outcome = await db.transaction(tx => sweepPart(tx, each, tenant, now()));
    await queue.add('webhook', outcome.jobs);
    raised.push(...outcome.raised);
    if (!outcome.more) break;
  }
  // Detection passes by a log that is held; of thousands of logs hardly any has grown meanwhile.
  if (await isBehind(db, tenant)) await queue.add('detect', [tenant]);
  for (const { detector } of raised) metrics.alertsRaised.inc({ detector });
  if (raised.length > 0)
    log.info({ org_id: tenant.org_id, detector: each.detector.name, alerts: raised.length }, 'overdue');
  return raised;
}

type SweepResult = { raised: Raised[]; jobs: Jobs['webhook'][]; more: boolean };

async function sweepPart(tx: Db, each: SweepOf, tenant: Tenant, now: number): Promise<SweepResult> {
  const reach = await reachOf(tx, tenant, await lockCursor(tx, tenant), now);
  const setting = await settingOf(tx, tenant, each.detector);
  const { findings, more } = await each.sweep(tx, tenant, reach, setting);
  const { raised, jobs } = await tellFindings(tx, tenant, findings, [setting], now);
  await moveVersions(tx, tenant, findings.length > 0 ? ['alerts'] : []);
  return { raised, jobs, more };
}

/** What arrived after `seq` is not analyzed yet: nothing is known of the time from then on. */
async function reachOf(tx: Db, { org_id, environment }: Tenant, seq: number, now: number): Promise<LogProgress> {
  const next = await tx.maybeOneFirst(sql.type(z.object({ received_at: Milliseconds }))`
    select received_at from events where org_id = ${org_id} and environment = ${environment} and chain_seq = ${seq + 1}`);
  return { seq, until: next === null ? now : Math.min(now, next - 1), now };
}

async function settingOf(tx: Db, tenant: Tenant, detector: TimedDetector): Promise<TimedSetting> {
  const setting = settingAmong(detector, await readSettings(tx, tenant));
  return { ...activate(detector, setting), enabled: setting.enabled, updated_at: setting.updated_at };
}
