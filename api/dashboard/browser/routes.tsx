import type { AnyComponent } from 'preact';
import type { DashboardPath } from '#api/dashboard/paths.ts';
import { AgentPage } from './pages/agents/agent.tsx';
import { Agents } from './pages/agents/agents.tsx';
import { EventPage } from './pages/events/event.tsx';
import { Events } from './pages/events/events.tsx';
import { LogPage } from './pages/log/log.tsx';
import { Overview } from './pages/overview/overview.tsx';
import { OwnerPage } from './pages/owners/owner.tsx';
import { Owners } from './pages/owners/owners.tsx';
import { PayeePage } from './pages/payees/payee.tsx';
import { Payees } from './pages/payees/payees.tsx';
import { AlertPage } from './pages/alerts/alert.tsx';
import { AlertQueue } from './pages/alerts/alert_queue.tsx';
import { CasePage } from './pages/cases/case.tsx';
import { CaseList } from './pages/cases/case_list.tsx';
import { PackPage } from './pages/packs/pack.tsx';
import { PackList } from './pages/packs/pack_list.tsx';
import { ScreeningPage } from './pages/screenings/screening.tsx';
import { ScreeningQueue } from './pages/screenings/screening_queue.tsx';
import { Account } from './pages/account/account.tsx';
import { ApiKeys } from './pages/api_keys/api_keys.tsx';
import { AuditLog } from './pages/audit_log/audit_log.tsx';
import { BacktestPage } from './pages/detectors/backtest.tsx';
import { DetectorPage } from './pages/detectors/detector.tsx';
import { Detectors } from './pages/detectors/detectors.tsx';
import { MandatePage } from './pages/mandates/mandate.tsx';
import { Mandates } from './pages/mandates/mandates.tsx';
import { NewMandate } from './pages/mandates/new_mandate.tsx';
import { Members } from './pages/members/members.tsx';
import { Sources } from './pages/sources/sources.tsx';
import { TrustedKeys } from './pages/trusted_keys/trusted_keys.tsx';
import { Webhooks } from './pages/webhooks/webhooks.tsx';

/** Which component shows which path. Every path of the dashboard is here: it does not type-check otherwise. */
export const pages: Record<Exclude<DashboardPath, '/sign-in'>, AnyComponent> = {
  '/': Overview,
  '/events': Events,
  '/events/:id': EventPage,
  '/agents': Agents,
  '/agents/:id': AgentPage,
  '/owners': Owners,
  '/owners/:id': OwnerPage,
  '/payees': Payees,
  '/payees/:id': PayeePage,
  '/log': LogPage,
  '/alerts': AlertQueue,
  '/alerts/:id': AlertPage,
  '/cases': CaseList,
  '/cases/:id': CasePage,
  '/screenings': ScreeningQueue,
  '/screenings/:id': ScreeningPage,
  '/packs': PackList,
  '/packs/:id': PackPage,
  '/api-keys': ApiKeys,
  '/mandates': Mandates,
  '/mandates/new': NewMandate,
  '/mandates/:id': MandatePage,
  '/detectors': Detectors,
  '/detectors/:name': DetectorPage,
  '/backtests/:id': BacktestPage,
  '/sources': Sources,
  '/trusted-keys': TrustedKeys,
  '/webhooks': Webhooks,
  '/members': Members,
  '/audit-log': AuditLog,
  '/account': Account,
};
