import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import type { Evidence } from '#shared/verification/verifier.ts';
import { findPaymentPayload } from './payment_payload.ts';
import { readOffered } from './terms.ts';

type Compared = { event: ReportedEvent; evidence: readonly Evidence[]; signed: string; code: string };

/**
 * Records whether the resource that a seller signed for is the one that was paid for, according to the payment and the event: same host and
 * path. Queries may differ, and http may stand for https: behind a proxy, sellers do not know which was used.
 */
export function checkResource(list: Checklist, { event, evidence, signed, code }: Compared): void {
  const offered_urls = readOffered(evidence).terms.flatMap(({ resource_url }) => resource_url ?? []);
  const paid = findPaymentPayload(evidence)?.resource_url ?? null;
  const said = [paid === null ? offered_urls : [paid], event.resource_url === null ? [] : [event.resource_url]];
  const url_groups = said.filter(urls => urls.length > 0);
  if (url_groups.length === 0) return list.skip('resource', 'nothing says which resource was paid for');
  const other = url_groups.find(urls => !urls.some(url => placeOf(url) === placeOf(signed)));
  if (!other) return void list.pass('resource', placeOf(signed));
  const detail = `${placeOf(signed)} is not ${placeOf(other[0] ?? '')}`;
  // Sellers may know their own addresses by other names than their clients do.
  if (url_groups.some(urls => urls !== other && urls.some(url => placeOf(url) === placeOf(signed))))
    list.open('resource', 'resource_unconfirmed', detail);
  else list.fail('resource', code, detail);
}

function placeOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, protocol, pathname } = new URL(url);
  return /^https?:$/.test(protocol) ? `//${host}${pathname}` : `${protocol}//${host}${pathname}`;
}
