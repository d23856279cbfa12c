import { z } from 'zod';
import type { Assessor } from '#shared/assessment/assessor.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import { judgeLog } from './judge_log.ts';
import type { BacktestSpan } from './locate.ts';
import type { BacktestPart } from './part.ts';
import { replayLog } from './replay_log.ts';
import { createTally, type SampleAlert } from './tally.ts';
import { nameFindings } from '#shared/detection/consumer/name_findings.ts';
import { detectors, timedDetectors } from '#shared/detection/detectors/index.ts';
import { severityOfFinding } from '#shared/detection/model/score.ts';
import { effectiveParams, withDefaults } from '#shared/detection/settings/detector_settings.ts';
import type { BacktestProgress, ClaimedBacktest } from './backtest_claims.ts';
import { type BacktestFinding, MOST_SHOWN } from './backtests.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { detectorNamed } from '#shared/detection/settings/detector_records.ts';
import { DAY, SECOND } from '#shared/values/time.ts';

/** Events that a back-test reads at most. */
const MOST_EVENTS = 1_000_000;

/** The progress of a back-test, with its best findings. */
export type BacktestState = Omit<BacktestProgress, 'sample'> & { best: SampleAlert[]; failures: number };

type BacktestRequest = Pick<ClaimedBacktest, 'detector' | 'from' | 'to' | 'params' | 'by_parameters' | 'cooldown_s'>;

type With = {
  assessor: Pick<Assessor, 'verifiers' | 'readTrust'>;
  now: number;
  most_events?: number;
};

/**
 * Replays the analyzed part of a log through a detector with other parameters, and counts the alerts it would have raised. Only reads;
 * yields the progress after each part, so that the caller can pause, stop, or save it.
 */
export async function* runBacktest(
  db: Pool,
  tenant: Tenant,
  request: BacktestRequest,
  { assessor, now, most_events = MOST_EVENTS }: With,
): AsyncGenerator<BacktestState> {
  const until_seq = await analyzedSeq(db, tenant);
  const span: BacktestSpan = { from: Date.parse(request.from), to: Date.parse(request.to), until_seq, most_events };
  const { whichever_agent, parts } = partsOf(db, tenant, request, span, { assessor, now });
  // An alert stays open for a while; what is told of once anyway is not told of again meanwhile.
  const tells_once = detectorNamed(request.detector).cooldown_s === 0;
  const tally = createTally({
    cooldown: Math.max(request.cooldown_s * SECOND, tells_once ? 0 : DAY),
    whichever_agent,
    most_shown: MOST_SHOWN,
  });
  const state = { progress: 0, events: 0, truncated: false, failures: 0 };
  for await (const part of parts) {
    for (const { event, finding } of part.findings) tally.add(event, finding);
    state.progress = Math.max(state.progress, part.progress);
    state.events += part.events;
    state.failures += part.failures;
    state.truncated ||= part.truncated;
    yield { ...state, findings: tally.findings(), best: tally.best() };
  }
  yield { ...state, progress: 1, findings: tally.findings(), best: tally.best() };
}

function partsOf(
  db: Pool,
  tenant: Tenant,
  { detector: name, params: own_params, by_parameters }: BacktestRequest,
  span: BacktestSpan,
  { assessor, now }: Pick<With, 'assessor' | 'now'>,
): { whichever_agent: boolean; parts: AsyncGenerator<BacktestPart> } {
  const timed = timedDetectors.find(candidate => candidate.name === name);
  if (timed) {
    const params = effectiveParams(timed, own_params);
    return {
      whichever_agent: timed.whichever_agent ?? false,
      parts: replayLog(db, tenant, span, { detector: timed, params }, now),
    };
  }
  const detector = detectors.find(candidate => candidate.name === name);
  if (!detector) throw new Error(`there is no detector ${name} any more`);
  const active = {
    ...withDefaults(detector),
    params: effectiveParams(detector, own_params),
    is_set: by_parameters,
  };
  return {
    whichever_agent: detector.whichever_agent ?? false,
    parts: judgeLog(db, tenant, span, active, assessor),
  };
}

const analyzedSeq = async (db: Db, { org_id, environment }: Tenant): Promise<number> =>
  (await db.maybeOneFirst(sql.type(z.object({ seq: z.number() }))`
    select seq from detection_cursors where org_id = ${org_id} and environment = ${environment}`)) ?? 0;

/** The progress of a back-test, with the best findings in the words of their alerts. */
export async function progressOf(db: Db, tenant: Tenant, { best, ...state }: BacktestState): Promise<BacktestProgress> {
  const named = await nameFindings(db, tenant, best);
  const sample = best.map(({ event, finding, hits }): BacktestFinding => {
    const { subject, score, title, explanation } = named({ event, finding });
    const severity = severityOfFinding(finding);
    return { agent_id: event.agent_id, event_id: event.id, subject, score, severity, title, explanation, hits };
  });
  const { progress, events, findings, truncated } = state;
  return { progress, events, findings, truncated, sample };
}
