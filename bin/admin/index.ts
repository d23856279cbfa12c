import type { AdminCommand } from './command.ts';
import { deliveries } from './deliveries.ts';
import { keys } from './keys.ts';
import { organizations } from './organizations.ts';
import { queues } from './queues.ts';
import { rates } from './rates.ts';
import { webhookEndpoints } from './webhook_endpoints.ts';

/** Every command of the operator's tool. */
export const commands: AdminCommand[] = [
  ...organizations,
  ...keys,
  ...webhookEndpoints,
  ...deliveries,
  ...rates,
  ...queues,
];
