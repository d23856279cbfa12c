import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';

/**
 * The addresses of a host name, IPv4 first. The name servers are asked without threads: `dns.lookup` has four of them for the
 * whole process, and a name whose servers do not answer would hold them. The system's own ways (hosts file, search domains)
 * are asked after the servers have said that they know no such name.
 */
export async function resolveHost(hostname: string, resolver: Resolver = systemResolver): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map(address => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map(address => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found;
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
