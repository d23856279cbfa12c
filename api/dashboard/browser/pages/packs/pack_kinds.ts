import type { Pack } from '#shared/packs/store/packs.ts';
import type { PackKind } from '#shared/packs/pack_files.ts';

/** The kinds of packs, and what the report of each dwells on. */
export const packKinds: { kind: PackKind; name: string; about: string }[] = [
  {
    kind: 'evidence_pack',
    name: 'Evidence pack',
    about: 'Everything that is known: the case, every payment with its evidence, what was verified, mandates, alerts.',
  },
  {
    kind: 'alert_report',
    name: 'Alert report',
    about: 'What was raised, why, and what people did about it; then the payments.',
  },
  {
    kind: 'agent_activity_report',
    name: 'Agent activity report',
    about: 'What an agent paid to whom, and what it cost; then what was raised about it.',
  },
  {
    kind: 'mandate_compliance_report',
    name: 'Mandate compliance report',
    about: 'Each payment held against the mandates, limit by limit, breaches first.',
  },
  {
    kind: 'screening_report',
    name: 'Screening report',
    about: 'Who was paid, which lists they were looked up in, what was found and decided.',
  },
];

export const kindName = (kind: PackKind): string => packKinds.find(one => one.kind === kind)?.name ?? kind;

/** What a pack is called: its title, or its kind. */
export const packName = ({ title, kind }: Pick<Pack, 'title' | 'kind'>): string => title ?? kindName(kind);
