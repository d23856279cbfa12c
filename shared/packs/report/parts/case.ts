import type { PackCase } from '#shared/packs/pack_files.ts';
import { createEarliest } from '#shared/packs/report/kept.ts';
import type { PackReferences } from '#shared/packs/report/references.ts';
import { LONGEST_TEXT, MOST_ROWS } from '#shared/packs/report/limits.ts';
import { outside } from '#shared/packs/report/outside.ts';
import { refs } from '#shared/packs/report/refs.ts';
import type { ReportFact, ReportSection, TextSpan, Text } from '#shared/packs/report/report.ts';
import { actor, code, counted, grouped, moreIn, time } from '#shared/packs/report/words.ts';

type Entry = PackCase['timeline'][number];

/** The case that the pack is about, with what was done in it and how it was closed. */
export function caseSection(record: PackCase, references: PackReferences): ReportSection {
  const entries = createEarliest<{ at: string; text: Text }>(MOST_ROWS);
  for (const entry of record.timeline) entries.add({ at: entry.at, text: entryText(entry) });
  return {
    id: 'case',
    title: 'Case',
    blocks: [
      { type: 'note', text: 'From case.json: the case as it stood when the pack was made.' },
      { type: 'facts', facts: factsOf(record, references) },
      {
        type: 'timeline',
        caption: 'Case timeline',
        items: entries.items().map(({ at, text }) => ({ at: time(at), text })),
        more: moreIn(entries.count() - entries.items().length, 'case.json'),
      },
    ],
  };
}

function factsOf(record: PackCase, references: PackReferences): ReportFact[] {
  const { id, title, status, priority, assignee_id, created_at, created_by, closed_at, closing_note, links } = record;
  const seqs = references.seqsOf(links.event_ids);
  const elsewhere = links.event_ids.length - seqs.length;
  return [
    { label: 'Title', text: outside(title, LONGEST_TEXT) },
    { label: 'Case', text: code(id) },
    { label: 'Status', text: `${status}, priority ${priority}` },
    { label: 'Opened', text: [time(created_at), ' by ', actor(created_by)] },
    { label: 'Assignee', text: assignee_id === null ? 'unassigned' : code(assignee_id) },
    {
      label: 'Linked events',
      text: [
        seqs.length === 0 ? 'none' : refs(seqs),
        elsewhere > 0 ? ` (${counted(elsewhere, 'event')} outside this pack)` : '',
      ],
    },
    {
      label: 'Also linked',
      text: `${counted(links.alert_ids.length, 'alert')}, ${counted(links.screening_ids.length, 'screening')}, ${counted(links.pack_ids.length, 'pack')}`,
    },
    ...(closed_at === null ? [] : [{ label: 'Closed', text: time(closed_at) }]),
    ...(closing_note === null ? [] : [{ label: 'Closing note', text: outside(closing_note, LONGEST_TEXT) }]),
  ];
}

/** Who did what in a case. */
export const entryText = (entry: Entry): TextSpan[] => [actor(entry.actor_id, 'The system'), ' ', ...wordsOf(entry)];

function wordsOf(entry: Entry): TextSpan[] {
  if (entry.kind === 'created') return ['opened the case'];
  if (entry.kind === 'commented') return ['commented: ', outside(entry.text, LONGEST_TEXT)];
  if (entry.kind === 'changed')
    return [`changed the ${entry.field} of the case from `, outside(entry.from), ' to ', outside(entry.to)];
  if (entry.kind === 'assigned') return ['assigned the case to ', entry.to === null ? 'unassigned' : code(entry.to)];
  if (entry.kind === 'linked') return [`linked to the case ${linkedText(entry)}`];
  const note = entry.text === null ? [] : [': ', outside(entry.text, LONGEST_TEXT)];
  return [`set the case from ${entry.from} to ${entry.to}`, ...note];
}

function linkedText({ alert_ids, event_ids, screening_ids, pack_ids }: Extract<Entry, { kind: 'linked' }>): string {
  const kinds = [
    ['alert', alert_ids],
    ['event', event_ids],
    ['screening', screening_ids],
    ['pack', pack_ids],
  ] as const;
  return (
    kinds.flatMap(([name, ids]) => (ids && ids.length > 0 ? [counted(ids.length, name)] : [])).join(', ') || grouped(0)
  );
}
