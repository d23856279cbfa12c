import type { WebhookDelivery } from '#shared/webhooks/webhook_deliveries.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countText } from '#api/dashboard/browser/parts/format.ts';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';

type WebhookAttempt = WebhookDelivery['attempts'][number];

/** The attempts of one delivery, newest last: when, how it went, and what the endpoint answered. */
export function Attempts({ of: { id, attempts } }: { of: WebhookDelivery }) {
  if (attempts.length === 0) return <p class="quiet">No attempts yet</p>;
  return (
    <details class="attempts">
      <summary>
        {attempts.length} {attempts.length === 1 ? 'attempt' : 'attempts'}
      </summary>
      <ol class="timeline">
        {attempts.map(attempt => (
          <Attempt key={`${attempt.generation} ${attempt.number}`} of={attempt} />
        ))}
      </ol>
      <Copy text={id} />
    </details>
  );
}

const Attempt = ({ of: { number, generation, at, outcome, status, ms, error, response } }: { of: WebhookAttempt }) => (
  <li>
    <div>
      {number}. <Badge of={outcome} /> {status === null ? 'No response' : `HTTP ${status}`} in {countText(ms)} ms
      {generation > 0 && <span class="quiet">, replay {generation}</span>}
    </div>
    <Time at={at} />
    {error && <p class="wrong">{error}</p>}
    {response && (
      <pre class="wrap" tabIndex={0} aria-label="Start of the response">
        {response}
      </pre>
    )}
  </li>
);
