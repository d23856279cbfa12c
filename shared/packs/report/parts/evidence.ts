import type { PackEvidence } from '#shared/packs/pack_files.ts';
import { createKept } from '#shared/packs/report/kept.ts';
import { MOST_ROWS } from '#shared/packs/report/limits.ts';
import { outside } from '#shared/packs/report/outside.ts';
import { addRef, noRefs, type Refs, refsText } from '#shared/packs/report/refs.ts';
import type { Figure, ReportSection, ReportTable } from '#shared/packs/report/report.ts';
import { code, columnsOf, counted, grouped, moreIn, verdict } from '#shared/packs/report/words.ts';

/** The evidence of the events: by kind, and piece by piece with its hash. */
export type EvidencePart = { add(item: PackEvidence): void; section(): ReportSection; figure(): Figure };

type Kind = { items: number; redacted: number; erased: number; events: Refs };

/** Stands for the kinds without a row; no kind has this name. */
const OTHERS = 'all other kinds';

export function createEvidencePart(): EvidencePart {
  const kinds = new Map<string, Kind>();
  const rows = createKept<ReportTable['rows'][number]>(MOST_ROWS);
  const events = noRefs();
  let withheld = 0;
  return {
    add(item) {
      const name = kinds.has(item.kind) || kinds.size < MOST_ROWS ? item.kind : OTHERS;
      const kind = kinds.get(name) ?? { items: 0, redacted: 0, erased: 0, events: noRefs() };
      kinds.set(name, kind);
      kind.items += 1;
      if (item.withheld) kind[item.withheld] += 1;
      if (item.withheld) withheld += 1;
      addRef(kind.events, item.chain_seq);
      addRef(events, item.chain_seq);
      rows.add(() => rowOf(item));
    },
    section: () => ({
      id: 'evidence',
      title: 'Evidence',
      blocks:
        rows.count() === 0
          ? [{ type: 'paragraph', text: 'No evidence came with these events.' }]
          : [
              {
                type: 'note',
                text: 'From evidence.jsonl. The SHA-256 of each piece is part of its event, and so stands in the log, also where the piece itself is withheld: redacted in this pack, or erased before.',
              },
              kindTable(kinds),
              pieceTable(rows.items(), rows.count()),
            ],
    }),
    figure: () => ({
      label: 'Evidence',
      value: counted(rows.count(), 'piece'),
      tone: null,
      rule: `evidence.jsonl: one a line; ${withheld === 0 ? 'none is' : `${grouped(withheld)} of them`} withheld.`,
      events: refsText(events),
    }),
  };
}

function rowOf({ event_id, chain_seq, position, kind, sha256, withheld }: PackEvidence): ReportTable['rows'][number] {
  const state = withheld ? verdict(withheld, 'open') : 'in the pack';
  return {
    seq: null,
    cells: [
      [{ seqs: [chain_seq], more: '' }, ' ', code(event_id)],
      String(position),
      outside(kind),
      code(sha256),
      state,
    ],
  };
}

const kindTable = (kinds: Map<string, Kind>): ReportTable => ({
  type: 'table',
  caption: 'Evidence by kind',
  columns: columnsOf({ Kind: 8, '#Pieces': 2, '#Redacted': 2, '#Erased': 2, Events: 8 }),
  rows: [...kinds]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, { items, redacted, erased, events }]) => ({
      seq: null,
      cells: [outside(kind), grouped(items), grouped(redacted), grouped(erased), refsText(events)],
    })),
  more: null,
});

const pieceTable = (rows: readonly ReportTable['rows'][number][], count: number): ReportTable => ({
  type: 'table',
  caption: counted(count, 'piece of evidence', 'pieces of evidence'),
  columns: columnsOf({ Event: 15, '#No.': 3, Kind: 11, 'SHA-256': 36, Value: 8 }),
  rows: [...rows],
  more: moreIn(count - rows.length, 'evidence.jsonl'),
});
