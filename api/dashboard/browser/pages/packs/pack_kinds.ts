import type { Pack } from '#shared/packs/store/packs.ts';
import type { PackKind } from '#shared/packs/pack_files.ts';

/** The kinds of packs, and what the report of each dwells on. */
export const packKinds: { kind: PackKind; name: string; about: string }[] = [
  {
    kind: 'evidence_pack',
    name: 'Evidence pack',
    about: 'The full record: case, payments with their evidence, verification results, mandates, and alerts.',
  },
  {
    kind: 'alert_report',
    name: 'Alert report',
    about: 'What was raised, why, and how it was handled, followed by the payments.',
  },
  {
    kind: 'agent_activity_report',
    name: 'Agent activity report',
    about: 'Who the agent paid and how much, followed by its alerts.',
  },
  {
    kind: 'mandate_compliance_report',
    name: 'Mandate compliance report',
    about: 'Every payment checked against its mandates, limit by limit, breaches first.',
  },
  {
    kind: 'screening_report',
    name: 'Screening report',
    about: 'Payees, the lists they were screened against, matches, and decisions.',
  },
];

export const kindName = (kind: PackKind): string => packKinds.find(one => one.kind === kind)?.name ?? kind;

/** What a pack is called: its title, or its kind. */
export const packName = ({ title, kind }: Pick<Pack, 'title' | 'kind'>): string => title ?? kindName(kind);
