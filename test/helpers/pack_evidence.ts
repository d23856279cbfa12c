import type { PackAlert } from '#shared/packs/pack_files.ts';

/** The evidence of an alert about settled payments of $48, one event each. */
export const packAlertEvidence = (event_ids: string[]): PackAlert['evidence'] => ({
  payments: event_ids.length,
  settled: event_ids.length,
  spend_usd_micro: String(48_000_000 * event_ids.length),
  event_ids,
  other_event_ids: [],
});
