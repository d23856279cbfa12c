import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { lookup, Resolver } from 'node:dns/promises';

/**
 * Why a URL's host may not be called as far as its text tells (an address in any notation, a name that is local by
 * definition), or null. undici asks no `lookup` about an address, so this is half of the guard; `guardedLookup` is the other.
 */
export function literalFault(hostname: string): string | null {
  const host = canonicalHost(hostname);
  if (host === null) return 'the host of the URL is not valid';
  if (ipaddr.isValid(host)) return isPublic(host) ? null : `${host} is not a public address`;
  if (localNames.test(host)) return `${host} names a local host`;
  return null;
}

/**
 * A `lookup` for connections that answers only with public addresses. The connection is made to what was checked, so a name
 * that resolves differently a moment later (DNS rebinding) gains nothing. Fails with `TargetBlocked` when none is public.
 */
export function guardedLookup(resolve: Resolve = resolveHost): LookupFunction {
  const lookup = callbackify(async (hostname: string) => {
    const addresses = (await resolve(hostname)).filter(({ address }) => isPublic(address));
    if (addresses.length === 0) throw new TargetBlocked(`${hostname} does not resolve to a public address`);
    return addresses;
  });
  return (hostname, { all }, callback) =>
    lookup(hostname, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error, []);
      if (all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** A target that may not be called. Its message is fit for a delivery log. */
export class TargetBlocked extends Error {
  override name = 'TargetBlocked';
}

/**
 * Whether an IP address is a public unicast one. An IPv4-mapped address counts as the IPv4 address it is; what tunnels one
 * (NAT64, 6to4, Teredo) and every special-purpose range (RFC 6890) is not public.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || cloudHosts.has(parsed.toString())) return false;
  // Of IPv6, IANA has given out 2000::/3 only.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parse('2000::'), 3);
}

/** Public by number, but the host of every virtual machine in Azure: its metadata and settings. */
const cloudHosts = new Set(['168.63.129.16']);

const localNames = /^(localhost|.*\.(localhost|local|internal|localdomain)|ip6-localhost|ip6-loopback)$/;

/** The host as a URL writes it: `0x7f.1`, `2130706433` and `127.0.0.1.` become 127.0.0.1; no brackets, no dot at the end. */
function canonicalHost(hostname: string): string | null {
  const bracketed = ipaddr.IPv6.isValid(hostname) ? `[${hostname}]` : hostname;
  const url = URL.parse(`http://${bracketed}/`);
  return url && url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/**
 * The addresses of a host name, IPv4 first. The name servers are asked without threads: `dns.lookup` has four of them for the
 * whole process, and a name whose servers do not answer would hold them. The system's own ways (hosts file, search domains)
 * are asked after the servers have said that they know no such name.
 */
export async function resolveHost(hostname: string, resolver: Resolver = systemResolver): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value.map(address => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map(address => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  const reasons = [four, six].flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []));
  const late = reasons.find(reason => !answeredNo.has(codeOf(reason)));
  if (late) throw late;
  return lookup(hostname, { all: true });
}

// ECONNREFUSED: there is no name server at all.
const answeredNo = new Set(['ENOTFOUND', 'ENODATA', 'EREFUSED', 'ECONNREFUSED']);

const systemResolver = new Resolver({ timeout: 2_000, tries: 2 });

const codeOf = (reason: unknown) =>
  reason instanceof Error && 'code' in reason && typeof reason.code === 'string' ? reason.code : '';
