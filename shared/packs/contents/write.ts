import type { Db } from '#shared/platform/db.ts';
import { type WithEvidence, readEvidence } from './evidence.ts';
import { readEvents } from './events.ts';
import { alertsOf, mandatesOf, readAlerts, readMandates, readScreenings, screeningsOf } from './records.ts';
import { readEvaluations, readVerifications } from './verdicts.ts';
import type { PackEvent } from '#shared/packs/pack_files.ts';
import type { ReportTally } from '#shared/packs/report/tally.ts';
import type { ZipWriter } from '#shared/packs/zip.ts';
import { findCase } from '#shared/casework/cases.ts';
import type { ClaimedPack } from '#shared/packs/store/pack_claims.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** The number of items in each file of a pack. */
export type Counts = Record<
  'events' | 'evidence' | 'verifications' | 'mandates' | 'evaluations' | 'alerts' | 'screenings',
  number
>;

type Contents = {
  held: Pick<ClaimedPack, 'scope' | 'redact'>;
  /** Positions of the events, ascending. */
  chain_seqs: readonly number[];
  add: (...file: Parameters<ZipWriter['add']>) => Promise<void>;
  tally: ReportTally;
  onProgress: (done: number) => Promise<void>;
};

/** Writes the database's part of a pack, file by file, and shows all of it to the report's tally. `db` is one snapshot. */
export async function writeContents(
  db: Db,
  tenant: Tenant,
  { held, chain_seqs, add, tally, onProgress }: Contents,
): Promise<Counts> {
  const { scope, redact } = held;
  const counts: Counts = {
    events: 0,
    evidence: 0,
    verifications: 0,
    mandates: 0,
    evaluations: 0,
    alerts: 0,
    screenings: 0,
  };
  const events_written = createSeen(chain_seqs.length);
  /** Counts and shows each item, and reports the progress of a file with this share of the whole. */
  async function* watched<T>(
    items: AsyncGenerator<T>,
    name: keyof Counts,
    show: (item: T) => void,
    { from, to, of }: { from: number; to: number; of: number },
  ) {
    for await (const item of items) {
      counts[name] += 1;
      show(item);
      if (counts[name] % PROGRESS_EVERY === 0) await onProgress(from + (to - from) * Math.min(1, counts[name] / of));
      yield item;
    }
  }

  const events = readEvents(db, tenant, chain_seqs, redact);
  const noteEvent = (event: PackEvent) => {
    events_written.event(event);
    tally.event(event);
  };
  await add(
    'events.jsonl',
    jsonLines(watched(events, 'events', noteEvent, { from: 0, to: 0.3, of: chain_seqs.length })),
  );
  const evidence = readEvidence(db, tenant, events_written.withEvidence(chain_seqs), redact);
  await add(
    'evidence.jsonl',
    jsonLines(watched(evidence, 'evidence', tally.evidence, { from: 0.3, to: 0.5, of: events_written.pieces() })),
  );
  const runs = readVerifications(db, tenant, chain_seqs);
  await add(
    'verifications.json',
    jsonArray(watched(runs, 'verifications', tally.verification, { from: 0.5, to: 0.6, of: events_written.pieces() })),
  );
  const mandates = readMandates(db, tenant, await mandatesOf(db, tenant, chain_seqs));
  await add('mandates.json', jsonArray(watched(mandates, 'mandates', tally.mandate, { from: 0.6, to: 0.6, of: 1 })));
  const evaluations = readEvaluations(db, tenant, chain_seqs);
  await add(
    'evaluations.json',
    jsonArray(watched(evaluations, 'evaluations', tally.evaluation, { from: 0.6, to: 0.7, of: chain_seqs.length })),
  );
  const alert_ids = await alertsOf(db, tenant, chain_seqs, scope);
  await add(
    'alerts.json',
    jsonArray(
      watched(readAlerts(db, tenant, alert_ids), 'alerts', tally.alert, { from: 0.7, to: 0.75, of: alert_ids.length }),
    ),
  );
  const screening_ids = await screeningsOf(db, tenant, [...events_written.payees], scope);
  const screenings = readScreenings(db, tenant, screening_ids);
  await add(
    'screenings.json',
    jsonArray(watched(screenings, 'screenings', tally.screening, { from: 0.75, to: 0.8, of: screening_ids.length })),
  );
  const own_case = scope.case_id === undefined ? null : await findCase(db, tenant, scope.case_id);
  tally.case(own_case);
  await add('case.json', [`${JSON.stringify(own_case, null, 2)}\n`]);
  return counts;
}

const PROGRESS_EVERY = 500;

/** What the other files need to know of the events: little, since there may be many. */
function createSeen(events: number) {
  const pieces = new Uint8Array(events);
  const payees = new Set<string>();
  let count = 0;
  return {
    payees,
    pieces: () => pieces.reduce((sum, own) => sum + own, 0),
    *withEvidence(chain_seqs: readonly number[]): Generator<WithEvidence> {
      for (const [position, chain_seq] of chain_seqs.entries())
        if (pieces[position]) yield [chain_seq, pieces[position]];
    },
    event({ evidence_count, payee_id }: PackEvent) {
      pieces[count] = evidence_count;
      count += 1;
      if (payee_id !== null) payees.add(payee_id);
    },
  };
}

async function* jsonLines(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

/** One element per line, so that readers need not hold all of it. */
async function* jsonArray(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const item of items) {
    yield before + JSON.stringify(item);
    before = ',\n';
  }
  yield before === '[\n' ? '[\n]\n' : '\n]\n';
}
