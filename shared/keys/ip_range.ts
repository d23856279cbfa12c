import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** A network in CIDR notation, or one address; normalized to the first address of the network. */
export const IpRange = z
  .string()
  .trim()
  .max(60)
  .transform((text, context) => {
    const range = ipaddr.isValid(text) ? `${text}/${ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128}` : text;
    // isValidCIDR accepts ranges with missing octets, such as 10.1/16.
    const [address = '', bits] = range.split('/');
    if (ipaddr.isValidCIDR(range) && (address.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(address))) {
      const [of] = ipaddr.parseCIDR(range);
      if (of instanceof ipaddr.IPv6 && of.isIPv4MappedAddress())
        return refuse(context, 'must be given as an IPv4 network');
      const kind = of.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
      return `${kind.networkAddressFromCIDR(range).toString()}/${Number(bits)}`;
    }
    return refuse(context, 'must be a network such as 203.0.113.0/24 or 2001:db8::/48');
  })
  .meta({ override: { type: 'string' }, examples: ['203.0.113.0/24'] });

function refuse(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** Whether an address is in one of these networks. An IPv4 address mapped to IPv6 counts as IPv4. */
export function isWithin(ip: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some(range => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === address.kind() && address.match(network, bits);
  });
}
