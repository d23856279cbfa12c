import type { PackHeader, PackKind } from '#shared/packs/pack_files.ts';
import {
  type PackContents,
  packAlert,
  packEvaluation,
  packEvent,
  packEvidence,
  packHeader,
  packId,
  packMandate,
  packMatch,
  packScreening,
  packVerification,
} from './pack_world.ts';

const at = '2026-03-03T10:00:00.000Z';
const person = packId('usr', 1);

/** A pack with something of everything: nine events, of which #3 failed verification, #5 broke its mandate and #7 was alerted on. */
export const fullPack = (kind: PackKind = 'evidence_pack', more: Partial<PackHeader['pack']> = {}): PackContents => ({
  header: packHeader(kind, more),
  events: Array.from({ length: 9 }, (_, index) =>
    packEvent({ seq: index + 1, payee: 1 + (index % 2), agent: 1 + (index % 3) }),
  ),
  evidence: [packEvidence(3), packEvidence(4, { kind: 'psp.webhook', value: null, withheld: 'redacted' })],
  verifications: [
    packVerification(3, { id: packId('vrf', 100), result: 'inconclusive', superseded: true }),
    packVerification(3, {
      result: 'failed',
      checks: [
        { name: 'signature', result: 'pass' },
        { name: 'payee', result: 'fail', code: 'payee_mismatch', detail: 'authorized to A, the event says B' },
      ],
    }),
    packVerification(4, {
      result: 'inconclusive',
      checks: [{ name: 'signature', result: 'skip', code: 'key_unknown' }],
    }),
    packVerification(5),
  ],
  mandates: [packMandate(1)],
  evaluations: [
    packEvaluation(5, 'compliant', { superseded: true }),
    packEvaluation(5, 'breach'),
    packEvaluation(6),
    packEvaluation(7, 'unresolved'),
  ],
  alerts: [
    packAlert(1, [7], { severity: 'low', state: 'open' }),
    packAlert(2, [7, 400], {
      severity: 'critical',
      state: 'dismissed',
      actions: [
        { id: packId('act', 1), action: 'comment', reason: 'Asked the team.', actor_id: person, at },
        { id: packId('act', 2), action: 'dismiss', reason: 'It was a rebooking.', actor_id: person, at },
      ],
    }),
  ],
  screenings: [
    packScreening(1, {
      state: 'false_positive',
      score: 0.9312,
      matches: [packMatch(1, { decision: 'false_positive' })],
      decision: 'false_positive',
      reason: 'Another line of business.',
      reviewed_at: at,
      reviewed_by: person,
    }),
    packScreening(2),
  ],
  case: {
    id: packId('cas', 1),
    title: 'Hotel 1',
    status: 'closed',
    priority: 'high',
    assignee_id: person,
    created_by: null,
    created_at: '2026-03-02T20:00:00.000Z',
    updated_at: at,
    closed_at: at,
    closing_note: 'The money came back.',
    links: { alert_ids: [packId('alr', 1)], event_ids: [packId('evt', 7)], screening_ids: [], pack_ids: [] },
    timeline: [
      { id: packId('act', 3), kind: 'created', actor_id: null, at: '2026-03-02T20:00:00.000Z' },
      { id: packId('act', 4), kind: 'commented', text: 'Called the hotel.', actor_id: person, at },
      {
        id: packId('act', 5),
        kind: 'status_changed',
        from: 'open',
        to: 'closed',
        text: 'The money came back.',
        actor_id: person,
        at,
      },
    ],
  },
});
