import type { PackKind } from '#shared/packs/pack_files.ts';

export type FigureName =
  | 'events'
  | 'payments'
  | 'spend'
  | 'unpriced'
  | 'evidence'
  | 'verifications'
  | 'breaches'
  | 'alerts'
  | 'screenings';

export type SectionName =
  | 'case'
  | 'timeline'
  | 'payments'
  | 'verifications'
  | 'mandates'
  | 'evaluations'
  | 'alerts'
  | 'screenings'
  | 'events'
  | 'evidence'
  | 'check'
  | 'limits';

/** How each report ends. */
const ending: readonly SectionName[] = ['events', 'evidence', 'check', 'limits'];

/** The contents of each kind of report: its key figures, and its sections in order. */
export const plans: Record<PackKind, { figures: FigureName[]; sections: SectionName[] }> = {
  evidence_pack: {
    figures: [
      'events',
      'payments',
      'spend',
      'unpriced',
      'verifications',
      'breaches',
      'alerts',
      'screenings',
      'evidence',
    ],
    sections: [
      'case',
      'timeline',
      'payments',
      'verifications',
      'evaluations',
      'mandates',
      'alerts',
      'screenings',
      ...ending,
    ],
  },
  agent_activity_report: {
    figures: ['payments', 'spend', 'unpriced', 'alerts', 'breaches', 'verifications', 'screenings', 'events'],
    sections: [
      'payments',
      'alerts',
      'evaluations',
      'mandates',
      'verifications',
      'screenings',
      'case',
      'timeline',
      ...ending,
    ],
  },
  mandate_compliance_report: {
    figures: ['breaches', 'payments', 'spend', 'unpriced', 'alerts', 'verifications'],
    sections: ['evaluations', 'mandates', 'payments', 'verifications', 'alerts', 'case', 'timeline', ...ending],
  },
  screening_report: {
    figures: ['screenings', 'payments', 'spend', 'unpriced', 'alerts', 'events'],
    sections: ['screenings', 'payments', 'alerts', 'case', 'timeline', ...ending],
  },
  alert_report: {
    figures: ['alerts', 'breaches', 'verifications', 'payments', 'spend', 'unpriced'],
    sections: ['alerts', 'case', 'timeline', 'payments', 'evaluations', 'verifications', 'screenings', ...ending],
  },
};
