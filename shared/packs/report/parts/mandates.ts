import type { PackMandate } from '#shared/packs/pack_files.ts';
import { Constraint } from '#shared/mandates/constraints.ts';
import { describeLimit } from '#shared/mandates/describe.ts';
import type { ConstraintTerms } from '#shared/mandates/kinds/words.ts';
import { createKept, recordsOf } from '#shared/packs/report/kept.ts';
import type { PackReferences } from '#shared/packs/report/references.ts';
import { LONGEST_TEXT, MOST_TALL, MOST_WITHIN } from '#shared/packs/report/limits.ts';
import { outside } from '#shared/packs/report/outside.ts';
import type { ReportRecord, ReportSection, Text } from '#shared/packs/report/report.ts';
import { code, moreIn, spoken, time } from '#shared/packs/report/words.ts';

/** The mandates, version by version, and their terms for describing results. */
export type MandatesPart = {
  add(version: PackMandate): void;
  name(mandate_id: string, version: number): Text;
  /** The terms of each constraint of a version, for describing results; empty when the version is unknown. */
  terms(mandate_id: string, version: number): readonly ConstraintTerms[];
  section(): ReportSection;
};

/** How many versions keep their terms in memory. */
const MOST_KNOWN = 2_000;

export function createMandatesPart(references: PackReferences): MandatesPart {
  const versions = new Map<string, { name: string; terms: ConstraintTerms[] }>();
  const entries = createKept<ReportRecord>(MOST_TALL);
  return {
    add(version) {
      entries.add(() => entryOf(version, references));
      if (versions.size < MOST_KNOWN)
        versions.set(keyOf(version.id, version.version), {
          name: version.name,
          terms: version.constraints.map(withoutLists),
        });
    },
    name(id, version) {
      const stored = versions.get(keyOf(id, version));
      if (version === 0) return [code(id), ' (unknown)'];
      return [...(stored ? [outside(stored.name), ' '] : []), code(id), `, version ${version}`];
    },
    terms: (id, version) => versions.get(keyOf(id, version))?.terms ?? [],
    section: () => ({
      id: 'mandates',
      title: 'Mandates',
      blocks:
        entries.count() === 0
          ? [
              {
                type: 'paragraph',
                text: 'No mandate applied to these events.',
              },
            ]
          : [
              {
                type: 'note',
                text: 'From mandates.json: every version of the mandates that applied to these events or were named in them.',
              },
              recordsOf(entries, 'mandates.json'),
            ],
    }),
  };
}

const keyOf = (id: string, version: number) => `${id} ${version}`;

/** The terms without lists, which may be long and are not needed to read a result. */
const withoutLists = (terms: ConstraintTerms): ConstraintTerms => ({
  ...Object.fromEntries(Object.entries(terms).filter(([, value]) => !Array.isArray(value))),
  type: terms.type,
});

function entryOf(mandate: PackMandate, references: PackReferences): ReportRecord {
  const { id, version, name, state, source, agent_id, owner_id, valid_from, valid_until, human_presence } = mandate;
  const { external_ref, created_at, created_by, constraints } = mandate;
  const validity: Text = [
    ...(valid_from === null ? ['from its beginning'] : ['from ', time(valid_from)]),
    ...(valid_until === null ? [' without an end'] : [' until ', time(valid_until)]),
  ];
  return {
    title: [outside(name), `, version ${version}`],
    facts: [
      { label: 'Mandate', text: code(id) },
      { label: 'State', text: state },
      { label: 'Agent', text: references.agent(agent_id) },
      { label: 'Owner', text: code(owner_id) },
      { label: 'Valid', text: validity },
      { label: 'Human approval', text: spoken(human_presence) },
      { label: 'Source', text: source === 'ap2' ? 'an AP2 mandate found in verified evidence' : 'created here' },
      ...(external_ref === null ? [] : [{ label: 'Reference', text: outside(external_ref) }]),
      {
        label: 'This version',
        text: [time(created_at), ', by ', created_by === null ? 'the operator or the system' : code(created_by)],
      },
    ],
    paragraphs: constraints.length === 0 ? ['No constraints.'] : [],
    table: null,
    list:
      constraints.length === 0
        ? null
        : {
            title: 'A payment is allowed',
            items: constraints
              .slice(0, MOST_WITHIN)
              .map(constraint => outside(constraintInWords(constraint), LONGEST_TEXT)),
            more: moreIn(constraints.length - MOST_WITHIN, 'mandates.json'),
          },
  };
}

/** A constraint of a mandate in words, without a full stop. May contain outside text of any length. */
export function constraintInWords(terms: ConstraintTerms): string {
  const words = Constraint.safeParse(terms).success ? describeLimit(terms) : null;
  return words ?? `${terms.type}: ${JSON.stringify({ ...terms, type: undefined })} (known to its signer only)`;
}
