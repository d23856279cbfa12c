/** The address at which this machine reaches what listens on a host and port: a host that stands for all of them is none to call. */
export function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where people reach a service that listens at an address, on whatever port: at BASE_URL, where it is set. */
export const placeOf = (
  { base_url, host, port }: { base_url: string; host: string; port: number },
  address: string,
): string => (base_url === addressOf(host, port) ? address : base_url);
