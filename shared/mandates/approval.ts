import type { ReportedEvent } from '#shared/events/log/reported_event.ts';

/** Evidence of a person's approval: AP2 mandates signed with a person's key. Verification judges the signatures. */
const approvalKinds: ReadonlySet<string> = new Set(['ap2.payment_mandate', 'ap2.checkout_mandate']);

/** What shows that a person approved of the payment: `human_present`, or the kind of evidence; null when nothing does. */
export const approvalOf = ({ human_present, evidence_kinds }: ReportedEvent): string | null =>
  human_present === true ? 'human_present' : (evidence_kinds.find(kind => approvalKinds.has(kind)) ?? null);
