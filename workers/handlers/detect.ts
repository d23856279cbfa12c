import { createAssessor } from '#shared/assessment/assessor.ts';
import { createReader } from '#shared/assessment/read_ahead.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { createPace, type Pace } from '#shared/detection/consumer/pace.ts';
import { type Analyzed, analyzeRange, type RangeOptions } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { asError } from '#shared/interface/errors.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { liesInTheData } from '#shared/platform/lies_in_the_data.ts';

/** The most events analyzed in one transaction: they are held in memory, and as many are read ahead. Most ranges end sooner, by cost. */
const RANGE = 10_000;
/** Fewer events are all that there were: what has come since is announced by another job. A range that is cut costs more. */
const FEW = 100;
/** How many ranges of one log a job processes before other logs get their turn; the rest gets a new job. */
const RANGES_A_JOB = 2;

/**
 * Analyzes what is new in a log, range by range, until `stopping`. A job that arrives twice, or while another is running, finds nothing to
 * do.
 */
export function createHandler(services: Services, stopping: AbortSignal): (data: Jobs['detect']) => Promise<void> {
  const { queue } = services;
  const cache = createDetectionCache();
  const assessor = createAssessor(services);
  const reader = createReader(services.db, assessor);
  const pace = createPace();
  return async tenant => {
    for (let ranges = 0; ranges < RANGES_A_JOB && !stopping.aborted; ranges += 1) {
      const analyzed = await analyze(services, tenant, { cache, assessor, reader, pace });
      if (analyzed === null || analyzed.events === 0) return;
      await queue.add('webhook', analyzed.jobs);
      if (analyzed.is_end) return;
    }
    await queue.add('detect', [tenant]);
  };
}

/**
 * Analyzes one range. If that fails because of its data, ever smaller ranges narrow it down to the event at fault, which is skipped and
 * recorded as a failure; the log goes on.
 */
async function analyze(
  { db, log, metrics, now }: Services,
  tenant: Jobs['detect'],
  { pace, reader, ...range_options }: Pick<RangeOptions, 'cache' | 'assessor' | 'reader'> & { pace: Pace },
): Promise<(Analyzed & { is_end: boolean }) | null> {
  const most_cost = pace.mostCost(tenant, performance.now());
  // An event costs 1 at least: no more are read than may be analyzed.
  const most = Math.min(RANGE, most_cost);
  for (let limit = most; ; limit = Math.ceil(limit / 10)) {
    const start = performance.now();
    try {
      const options = { ...range_options, limit, most_cost, detectors, now };
      // What follows a part is not read ahead: it would be taken for all that is left.
      const analyzed = await analyzeRange(db, tenant, limit === most && reader ? { ...options, reader } : options);
      if (!analyzed || analyzed.events === 0) return analyzed && { ...analyzed, is_end: true };
      const end = performance.now();
      const ms = Math.round(end - start);
      pace.learn(tenant, { cost: analyzed.cost, ms }, end);
      metrics.detectionDuration.observe(ms / 1000);
      metrics.eventsAnalyzed.inc(analyzed.events);
      for (const { detector } of analyzed.raised) metrics.alertsRaised.inc({ detector });
      for (const { detector } of analyzed.failures) metrics.detectionFailures.inc({ detector });
      const { events, raised, failures } = analyzed;
      log.info(
        { org_id: tenant.org_id, events, alerts: raised.length, failures: failures.length, ms },
        'range analyzed',
      );
      return { ...analyzed, is_end: limit === most && analyzed.cost < FEW };
    } catch (error) {
      log.error({ error, org_id: tenant.org_id, limit }, 'range not analyzed');
      pace.fail();
      if (!liesInTheData(asError(error))) throw error;
      if (limit > 1) continue;
      metrics.detectionFailures.inc({ detector: 'all' });
      const passed = await analyzeRange(db, tenant, { ...range_options, limit: 1, detectors, now, pass_over: true });
      return passed && { ...passed, is_end: false };
    }
  }
}
