import type { Alert } from '#shared/casework/alerts.ts';
import { STILL, useReading } from '#api/dashboard/browser/reading/use_reading.ts';

const ofMandates = new Set(['mandate_breach', 'budget_threshold']);

/** The way to the mandate that the first of these alerts is about, where one is about a mandate. */
export function AlertMandate({ alerts }: { alerts: readonly Alert[] }) {
  const about = alerts.find(({ detector }) => ofMandates.has(detector));
  const { data } = useReading('GET /v1/events', about ? { query: { alert_id: about.id, limit: 1 } } : null, STILL);
  const id = data?.data[0]?.mandate_evaluation?.mandate_id;
  return id ? (
    <a class="button" href={`/mandates/${id}`}>
      View mandate
    </a>
  ) : null;
}
