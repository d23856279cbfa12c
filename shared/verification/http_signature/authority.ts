import type { Checklist } from '#shared/verification/checklist.ts';
import { parseDomainName } from '#shared/values/domain_name.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { readUrl, type RequestUrl } from './request.ts';

/**
 * Whether the request went where the event says the money went. The resource that was paid for must be of the host that was asked.
 * Without one, a payee known by its domain should be: its own host, a host above or below it; another one (a payment page, a
 * facilitator) may be right, which nobody here can know.
 */
export function judgeAuthority(
  url: RequestUrl,
  { resource_url, payee }: Pick<ReportedEvent, 'resource_url' | 'payee'>,
  list: Checklist,
): void {
  const resource = resource_url === null ? null : readUrl(resource_url);
  if (resource) {
    const detail = `the request went to ${url.authority}, the resource is of ${resource.authority}`;
    list.check('authority', withoutWww(resource.authority) === withoutWww(url.authority), 'authority_mismatch', detail);
    return;
  }
  const domain = payee.key.startsWith('domain:') ? payee.key.slice('domain:'.length) : null;
  if (domain === null) return list.skip('authority', 'the event names neither a web resource nor a domain');
  const host = parseDomainName(url.host);
  if (host.ok && isWithin(host.value, domain)) list.pass('authority', url.authority);
  else list.open('authority', 'authority_unconfirmed', `the request went to ${url.authority}, the payee is ${domain}`);
}

const isWithin = (one: string, other: string) =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);

const withoutWww = (authority: string) => authority.replace(/^www\./, '');
