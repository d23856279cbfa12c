import type { AdminCommand } from './command.ts';

/** All commands of the operator's tool, by first word. Loading them all takes half as long again as running one. */
const files: Record<string, () => Promise<AdminCommand[]>> = {
  org: async () => (await import('./organizations.ts')).organizations,
  key: async () => (await import('./keys.ts')).keys,
  mandate: async () => (await import('./mandates.ts')).mandates,
  detector: async () => (await import('./detectors.ts')).detectors,
  'trusted-key': async () => (await import('./trusted_keys.ts')).trustedKeys,
  'webhook-endpoint': async () => (await import('./webhook_endpoints.ts')).webhookEndpoints,
  deliveries: async () => (await import('./deliveries.ts')).deliveries,
  rates: async () => (await import('./rates.ts')).rates,
  list: async () => (await import('./lists.ts')).lists,
  screening: async () => (await import('./screening.ts')).screening,
  screen: async () => (await import('./screening.ts')).screening,
  ingest: async () => (await import('./ingest.ts')).ingest,
  log: async () => (await import('./log.ts')).log,
  erase: async () => (await import('./erase.ts')).erase,
  retention: async () => (await import('./retention.ts')).retention,
  queues: async () => (await import('./queues.ts')).queues,
  backup: async () => (await import('./backup.ts')).backup,
  move: async () => (await import('./move.ts')).move,
  'secret-key': async () => (await import('./secret_key.ts')).secretKey,
  user: async () => (await import('./users.ts')).users,
  'sign-in-link': async () => (await import('./users.ts')).users,
};

/** The commands to load: those of the first word, or all of them for any other, such as `--help`. */
export async function commandsFor(word: string | undefined): Promise<AdminCommand[]> {
  const wanted = word !== undefined && Object.hasOwn(files, word) ? files[word] : undefined;
  if (wanted) return wanted();
  const all = await Promise.all(Object.values(files).map(load => load()));
  return [...new Set(all.flat())];
}
