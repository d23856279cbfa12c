import type { AnyComponent } from 'preact';
import type { DashboardPath } from '#api/dashboard/paths.ts';
import { AgentPage } from '#api/dashboard/browser/pages/agents/agent.tsx';
import { Agents } from '#api/dashboard/browser/pages/agents/agents.tsx';
import { EventPage } from '#api/dashboard/browser/pages/events/event.tsx';
import { Events } from '#api/dashboard/browser/pages/events/events.tsx';
import { Erasures } from '#api/dashboard/browser/pages/erasures/erasures.tsx';
import { LogPage } from '#api/dashboard/browser/pages/log/log.tsx';
import { GetStarted } from '#api/dashboard/browser/pages/get_started/get_started.tsx';
import { Overview } from '#api/dashboard/browser/pages/overview/overview.tsx';
import { OwnerPage } from '#api/dashboard/browser/pages/owners/owner.tsx';
import { Owners } from '#api/dashboard/browser/pages/owners/owners.tsx';
import { PayeePage } from '#api/dashboard/browser/pages/payees/payee.tsx';
import { Payees } from '#api/dashboard/browser/pages/payees/payees.tsx';
import { AlertPage } from '#api/dashboard/browser/pages/alerts/alert.tsx';
import { AlertQueue } from '#api/dashboard/browser/pages/alerts/alert_queue.tsx';
import { CasePage } from '#api/dashboard/browser/pages/cases/case.tsx';
import { CaseList } from '#api/dashboard/browser/pages/cases/case_list.tsx';
import { IncidentPage } from '#api/dashboard/browser/pages/incidents/incident.tsx';
import { IncidentQueue } from '#api/dashboard/browser/pages/incidents/incident_queue.tsx';
import { PackPage } from '#api/dashboard/browser/pages/packs/pack.tsx';
import { PackList } from '#api/dashboard/browser/pages/packs/pack_list.tsx';
import { ScreeningPage } from '#api/dashboard/browser/pages/screenings/screening.tsx';
import { ScreeningQueue } from '#api/dashboard/browser/pages/screenings/screening_queue.tsx';
import { Account } from '#api/dashboard/browser/pages/account/account.tsx';
import { ApiKeys } from '#api/dashboard/browser/pages/api_keys/api_keys.tsx';
import { AuditLog } from '#api/dashboard/browser/pages/audit_log/audit_log.tsx';
import { Ingestion } from '#api/dashboard/browser/pages/ingestion/ingestion.tsx';
import { BacktestPage } from '#api/dashboard/browser/pages/detectors/backtest.tsx';
import { DetectorPage } from '#api/dashboard/browser/pages/detectors/detector.tsx';
import { Detectors } from '#api/dashboard/browser/pages/detectors/detectors.tsx';
import { MandatePage } from '#api/dashboard/browser/pages/mandates/mandate.tsx';
import { Mandates } from '#api/dashboard/browser/pages/mandates/mandates.tsx';
import { NewMandate } from '#api/dashboard/browser/pages/mandates/new_mandate.tsx';
import { Members } from '#api/dashboard/browser/pages/members/members.tsx';
import { SourcePage } from '#api/dashboard/browser/pages/sources/source.tsx';
import { Sources } from '#api/dashboard/browser/pages/sources/sources.tsx';
import { TrustedKeys } from '#api/dashboard/browser/pages/trusted_keys/trusted_keys.tsx';
import { Webhooks } from '#api/dashboard/browser/pages/webhooks/webhooks.tsx';

/** Which component shows which path. Every path of the dashboard is here: it does not type-check otherwise. */
export const pages: Record<Exclude<DashboardPath, '/sign-in'>, AnyComponent> = {
  '/': Overview,
  '/get-started': GetStarted,
  '/events': Events,
  '/events/:id': EventPage,
  '/agents': Agents,
  '/agents/:id': AgentPage,
  '/owners': Owners,
  '/owners/:id': OwnerPage,
  '/payees': Payees,
  '/payees/:id': PayeePage,
  '/log': LogPage,
  '/incidents': IncidentQueue,
  '/incidents/:id': IncidentPage,
  '/alerts': AlertQueue,
  '/alerts/:id': AlertPage,
  '/cases': CaseList,
  '/cases/:id': CasePage,
  '/screenings': ScreeningQueue,
  '/screenings/:id': ScreeningPage,
  '/packs': PackList,
  '/packs/:id': PackPage,
  '/api-keys': ApiKeys,
  '/ingestion': Ingestion,
  '/mandates': Mandates,
  '/mandates/new': NewMandate,
  '/mandates/:id': MandatePage,
  '/detectors': Detectors,
  '/detectors/:name': DetectorPage,
  '/backtests/:id': BacktestPage,
  '/sources': Sources,
  '/sources/:id': SourcePage,
  '/trusted-keys': TrustedKeys,
  '/webhooks': Webhooks,
  '/members': Members,
  '/audit-log': AuditLog,
  '/erasures': Erasures,
  '/account': Account,
};
