import type { Db } from '#shared/platform/db.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import type { TimedDetector } from '#shared/detection/model/detector.ts';
import type { Active } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** How a detector of what does not happen is asked, log by log. */
export type SweepOf = {
  detector: TimedDetector;
  /** The logs in which something may have become overdue. One query, however many logs there are. */
  due(db: Db, now: number): Promise<readonly Tenant[]>;
  /**
   * Looks through the next part of a log, and notes how far it got. The caller holds the log's detection cursor, and does with what was
   * found what is to be done, in the same transaction.
   */
  sweep(tx: Db, tenant: Tenant, reach: LogProgress, setting: TimedSetting): Promise<Swept>;
};

/** How far a log has been analyzed: up to `seq`, which is everything that was received up to `until`. */
export type LogProgress = { seq: number; until: number; now: number };

/** `more`: there is a next part already. */
type Swept = { findings: EventFinding[]; more: boolean };

/** A detector as the tenant has set it; the rest of what is set does not matter while it is not enabled. */
export type TimedSetting = Active<TimedDetector> & { enabled: boolean; updated_at: string | null };

/** Most logs that are swept at a look, and most rows in one transaction; live detection of the log waits so long. */
export const MOST_LOGS = 500;
export const MOST_AT_ONCE = 1_000;
