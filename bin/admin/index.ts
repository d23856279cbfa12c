import type { AdminCommand } from './command.ts';
import { deliveries } from './deliveries.ts';
import { detectors } from './detectors.ts';
import { keys } from './keys.ts';
import { lists } from './lists.ts';
import { log } from './log.ts';
import { mandates } from './mandates.ts';
import { organizations } from './organizations.ts';
import { queues } from './queues.ts';
import { rates } from './rates.ts';
import { screening } from './screening.ts';
import { users } from './users.ts';
import { trustedKeys } from './trusted_keys.ts';
import { webhookEndpoints } from './webhook_endpoints.ts';

/** Every command of the operator's tool. */
export const commands: AdminCommand[] = [
  ...organizations,
  ...keys,
  ...mandates,
  ...detectors,
  ...trustedKeys,
  ...webhookEndpoints,
  ...deliveries,
  ...rates,
  ...lists,
  ...screening,
  ...log,
  ...queues,
  ...users,
];
