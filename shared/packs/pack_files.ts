import { z } from 'zod';
import { Id } from '#shared/interface/ids.ts';
import type { AlertEvidence } from '#shared/casework/alert_evidence.ts';
import type { Alert } from '#shared/casework/alerts.ts';
import type { CaseDetail } from '#shared/casework/cases.ts';
import { Event } from '#shared/events/log/events.ts';
import { MandateEvaluationFull, VerificationRun } from '#shared/events/log/event_verdicts.ts';
import { MandateVersion } from '#shared/mandates/store/mandates.ts';
import type { Screening } from '#shared/screening/store/screenings.ts';

// The contents of a pack's files, line by line or element by element. `format.md` describes them for auditors.

const Party = z.object({ id: z.string(), external_id: z.string().nullable(), name: z.string().nullable() });

/** A line of `events.jsonl`. */
export const PackEvent = Event.extend({
  agent: Party,
  owner: Party,
  amount_usd_micro: z.string().nullable(),
  event_digest: z.string(),
  leaf_hash: z.string(),
  signed_input: z.string().nullable(),
  input: z.record(z.string(), z.unknown()),
  erasure: z.string().nullable(),
});
export type PackEvent = z.infer<typeof PackEvent>;

/** A line of `evidence.jsonl`. */
export const PackEvidence = z.object({
  event_id: Id('evt'),
  chain_seq: z.int(),
  position: z.int(),
  id: Id('evd'),
  kind: z.string(),
  media_type: z.string().nullable(),
  encoding: z.enum(['utf8', 'base64']),
  label: z.string().nullable(),
  sha256: z.string(),
  value: z.unknown(),
  withheld: z.enum(['redacted', 'erased']).nullable(),
});
export type PackEvidence = z.infer<typeof PackEvidence>;

/** An element of `verifications.json`. */
export const PackVerification = VerificationRun.extend({
  chain_seq: z.int(),
  superseded: z.boolean(),
  inputs: z.object({ event_digest: z.string(), evidence_sha256: z.string().nullable() }),
});
export type PackVerification = z.infer<typeof PackVerification>;

/** An element of `evaluations.json`. */
export const PackEvaluation = MandateEvaluationFull.extend({
  event_id: Id('evt'),
  chain_seq: z.int(),
  superseded: z.boolean(),
});
export type PackEvaluation = z.infer<typeof PackEvaluation>;

/** An element of `mandates.json`: one version of a mandate. */
export const PackMandate = MandateVersion.extend({
  id: Id('mnd'),
  agent_id: Id('agt'),
  owner_id: Id('own'),
  source: z.enum(['native', 'ap2']),
  signed_constraints: z.array(z.record(z.string(), z.unknown())).nullable(),
});
export type PackMandate = z.infer<typeof PackMandate>;

/** Elements of `alerts.json`, which does not name incidents, and `screenings.json`, and what `case.json` holds. */
export type PackAlert = Omit<Alert, 'incident_id' | 'updated_at'> & { evidence: AlertEvidence };
export type PackScreening = z.infer<typeof Screening>;
export type PackCase = z.infer<typeof CaseDetail>;

export const packKinds = [
  'evidence_pack',
  'agent_activity_report',
  'mandate_compliance_report',
  'screening_report',
  'alert_report',
] as const;
export type PackKind = (typeof packKinds)[number];

/** The members of `manifest.json` before its list of files. */
export type PackHeader = {
  pack: {
    id: string;
    kind: PackKind;
    title: string | null;
    scope: Record<string, unknown>;
    redact: string[];
    created_at: string;
    created_by: string | null;
  };
  organization: { id: string; name: string };
  environment: string;
  /** The checkpoint of the proofs, `root_hash` in hex; and how far the log was analyzed when the pack was built. */
  log: { origin: string; size: number; root_hash: string; analyzed_seq: number };
};
