import type { PackVerification } from '#shared/packs/pack_files.ts';
import { createKept, recordsOf } from '#shared/packs/report/kept.ts';
import { LONGEST_TEXT, MOST_ROWS, MOST_TALL } from '#shared/packs/report/limits.ts';
import { outside } from '#shared/packs/report/outside.ts';
import { addRef, noRefs, type Refs, refsText } from '#shared/packs/report/refs.ts';
import type { ReportRecord, Figure, ReportSection, ReportTable, Text } from '#shared/packs/report/report.ts';
import { verificationVerdict } from '#shared/packs/report/verdicts.ts';
import { code, columnsOf, grouped, moreIn, replaced, time, verdict } from '#shared/packs/report/words.ts';

/** The verifications of the evidence: by kind, and check by check where it failed or stayed open. */
export type VerificationsPart = { add(run: PackVerification): void; section(): ReportSection; figure(): Figure };

type Result = PackVerification['result'];
type Kind = Record<Result, number> & { events: Refs };

export function createVerificationsPart(): VerificationsPart {
  const kinds = new Map<string, Kind>();
  const counts = { verified: 0, failed: 0, inconclusive: 0 };
  const entries = { failed: createKept<ReportRecord>(MOST_TALL), inconclusive: createKept<ReportRecord>(MOST_TALL) };
  const failures = noRefs();
  let superseded = 0;
  return {
    add(run) {
      if (run.superseded) {
        superseded += 1;
        return;
      }
      const { result, chain_seq } = run;
      const kind = kinds.get(run.kind) ?? {
        verified: 0,
        failed: 0,
        inconclusive: 0,
        events: noRefs(),
      };
      kinds.set(run.kind, kind);
      kind[result] += 1;
      counts[result] += 1;
      addRef(kind.events, chain_seq);
      if (result === 'failed') addRef(failures, chain_seq);
      if (result !== 'verified') entries[result].add(() => entryOf(run));
    },
    section: () => ({
      id: 'verifications',
      title: 'Verifications',
      blocks:
        kinds.size === 0
          ? [{ type: 'paragraph', text: 'No verification of these events was recorded.' }]
          : [
              {
                type: 'note',
                text: `From verifications.json: what stands, by kind.${replaced(superseded, 'earlier run')} Inconclusive: information needed for a decision, such as a key, was missing.`,
              },
              kindTable(kinds),
              recordsOf(entries.failed, 'verifications.json'),
              recordsOf(entries.inconclusive, 'verifications.json'),
            ],
    }),
    figure: () => ({
      label: 'Verifications',
      value: `${grouped(counts.failed)} failed`,
      tone: counts.failed > 0 ? 'bad' : null,
      rule: `verifications.json: runs that are not superseded; ${grouped(counts.verified)} verified, ${grouped(counts.inconclusive)} inconclusive.`,
      events: counts.failed > 0 ? refsText(failures) : '',
    }),
  };
}

const kindTable = (kinds: Map<string, Kind>): ReportTable => ({
  type: 'table',
  caption: 'Verifications by kind',
  columns: columnsOf({ Kind: 6, '#Verified': 3, '#Failed': 3, '#Inconclusive': 3, Events: 8 }),
  rows: [...kinds]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MOST_ROWS)
    .map(([kind, { verified, failed, inconclusive, events }]) => ({
      seq: null,
      cells: [
        code(kind),
        grouped(verified),
        failed > 0 ? verdict(grouped(failed), 'bad') : '0',
        grouped(inconclusive),
        refsText(events),
      ],
    })),
  more: null,
});

function entryOf({
  id,
  event_id,
  chain_seq,
  evidence_id,
  kind,
  result,
  checks,
  verifier_version,
  at,
}: PackVerification): ReportRecord {
  return {
    title: [{ seqs: [chain_seq], more: '' }, ' ', code(kind), ' ', verificationVerdict(result)],
    facts: [
      { label: 'Event', text: code(event_id) },
      { label: 'Evidence', text: evidence_id === null ? 'event signature' : code(evidence_id) },
      { label: 'Run', text: [code(id), ', version ', outside(verifier_version), ', at ', time(at)] },
    ],
    paragraphs: [],
    table: {
      type: 'table',
      caption: 'Checks, in order',
      columns: columnsOf({ Check: 8, Result: 4, Reason: 20 }),
      rows: checks.slice(0, MOST_ROWS).map(check => ({
        seq: null,
        cells: [code(check.name), resultOf(check.result), whyOf(check)],
      })),
      more: moreIn(checks.length - MOST_ROWS, 'verifications.json'),
    },
    list: null,
  };
}

const resultOf = (result: 'pass' | 'fail' | 'skip'): Text =>
  result === 'fail' ? verdict('fail', 'bad') : result === 'skip' ? verdict('skip', 'open') : 'pass';

function whyOf({ code: reason, detail }: PackVerification['checks'][number]): Text {
  if (detail === undefined) return reason === undefined ? '' : code(reason);
  return reason === undefined ? outside(detail, LONGEST_TEXT) : [code(reason), ' ', outside(detail, LONGEST_TEXT)];
}
