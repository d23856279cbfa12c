import type { ReportedEvent } from '#shared/resources/events/reported_event.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import type { Evidence } from '#shared/verification/verifier.ts';
import { findPaymentPayload } from '#shared/verification/x402/payment_payload.ts';
import { readOffered } from '#shared/verification/x402/terms.ts';

type Compared = { event: ReportedEvent; evidence: readonly Evidence[]; signed: string; code: string };

/** Notes whether the resource that a seller signed for is the one that was paid for: same origin and path, queries may differ. */
export function checkResource(list: Checklist, { event, evidence, signed, code }: Compared): void {
  const asked = readOffered(evidence).terms.flatMap(({ resource_url }) => resource_url ?? []);
  const paid = findPaymentPayload(evidence)?.resource_url ?? event.resource_url;
  const known = paid === null ? asked : [paid];
  if (known.length === 0) return list.skip('resource', 'nothing says which resource was paid for');
  const same = known.some(url => placeOf(url) === placeOf(signed));
  list.check('resource', same, code, `${placeOf(signed)} is not ${placeOf(known[0] ?? '')}`);
}

function placeOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, host, protocol, pathname } = new URL(url);
  // Of schemes other than those of the web, such as mcp:, URL knows no origin.
  return origin === 'null' ? `${protocol}//${host}${pathname}` : `${origin}${pathname}`;
}
