import type { Route } from '#api/route.ts';
import { agents } from '#api/routes/agents.ts';
import { alerts } from '#api/routes/alerts.ts';
import { apiKeys } from '#api/routes/api_keys.ts';
import { auditLog } from '#api/routes/audit_log.ts';
import { backtests } from '#api/routes/backtests.ts';
import { cases } from '#api/routes/cases.ts';
import { description } from '#api/routes/description.ts';
import { detectors } from '#api/routes/detectors.ts';
import { events } from '#api/routes/events.ts';
import { log } from '#api/routes/log.ts';
import { mandates } from '#api/routes/mandates.ts';
import { members } from '#api/routes/members.ts';
import { me } from '#api/routes/me.ts';
import { owners } from '#api/routes/owners.ts';
import { packs } from '#api/routes/packs.ts';
import { passkeys } from '#api/routes/passkeys.ts';
import { payees } from '#api/routes/payees.ts';
import { screenings } from '#api/routes/screenings.ts';
import { secondFactor } from '#api/routes/second_factor.ts';
import { sessions } from '#api/routes/sessions.ts';
import { signIn } from '#api/routes/sign_in.ts';
import { sources } from '#api/routes/sources.ts';
import { stats } from '#api/routes/stats.ts';
import { trustedKeys } from '#api/routes/trusted_keys.ts';
import { webhooks } from '#api/routes/webhooks.ts';

/** Every endpoint of the API, in the order of the OpenAPI document. */
export const routes: Route[] = [
  ...events,
  ...agents,
  ...owners,
  ...payees,
  ...sources,
  ...alerts,
  ...detectors,
  ...backtests,
  ...screenings,
  ...cases,
  ...packs,
  ...log,
  ...mandates,
  ...trustedKeys,
  ...apiKeys,
  ...members,
  ...auditLog,
  ...stats,
  ...webhooks,
  ...signIn,
  ...me,
  ...sessions,
  ...secondFactor,
  ...passkeys,
  ...description(() => routes),
];
