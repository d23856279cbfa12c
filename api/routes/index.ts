import type { Route } from '#api/route.ts';
import { agents } from './agents.ts';
import { alertBudget } from './alert_budget.ts';
import { alerts } from './alerts.ts';
import { apiKeys } from './api_keys.ts';
import { auditLog } from './audit_log.ts';
import { backtests } from './backtests.ts';
import { cases } from './cases.ts';
import { description } from './description.ts';
import { detectors } from './detectors.ts';
import { erasures } from './erasures.ts';
import { events } from './events.ts';
import { exportSchedules } from './export_schedules.ts';
import { exports } from './exports.ts';
import { incidents } from './incidents.ts';
import { ingestHealth } from './ingest_health.ts';
import { log } from './log.ts';
import { mandates } from './mandates.ts';
import { members } from './members.ts';
import { me } from './me.ts';
import { owners } from './owners.ts';
import { packs } from './packs.ts';
import { passkeys } from './passkeys.ts';
import { payees } from './payees.ts';
import { savedViews } from './saved_views.ts';
import { screen } from './screen.ts';
import { screenings } from './screenings.ts';
import { search } from './search.ts';
import { secondFactor } from './second_factor.ts';
import { sessions } from './sessions.ts';
import { signIn } from './sign_in.ts';
import { sourceWebhooks } from './source_webhooks.ts';
import { sources } from './sources.ts';
import { stats } from './stats.ts';
import { trustedKeys } from './trusted_keys.ts';
import { webhooks } from './webhooks.ts';

/** Every endpoint of the API, in the order of the OpenAPI document. */
export const routes = [
  ...events,
  ...agents,
  ...owners,
  ...payees,
  ...sources,
  ...sourceWebhooks,
  ...alerts,
  ...incidents,
  ...detectors,
  ...alertBudget,
  ...backtests,
  ...screen,
  ...screenings,
  ...cases,
  ...packs,
  ...exports,
  ...exportSchedules,
  ...erasures,
  ...log,
  ...mandates,
  ...trustedKeys,
  ...apiKeys,
  ...ingestHealth,
  ...members,
  ...auditLog,
  ...savedViews,
  ...search,
  ...stats,
  ...webhooks,
  ...signIn,
  ...me,
  ...sessions,
  ...secondFactor,
  ...passkeys,
  ...description((): Route[] => routes),
];
