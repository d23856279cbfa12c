import { isSetUp } from '#api/dashboard/browser/pages/get_started/checklist.tsx';
import type { IconName } from '#api/dashboard/browser/parts/icon.tsx';
import type { Permission } from '#shared/interface/roles.ts';

export type Place = {
  path: string;
  name: string;
  icon: IconName;
  for?: Permission;
  until?: (org_id: string) => boolean;
};

/** Where the menu leads, in its groups. */
export const places: { name: string; of: Place[] }[] = [
  {
    name: 'Watch',
    of: [
      { path: '/', name: 'Overview', icon: 'house' },
      { path: '/incidents', name: 'Incidents', icon: 'siren' },
      { path: '/alerts', name: 'Alerts', icon: 'bell' },
      { path: '/cases', name: 'Cases', icon: 'folder' },
      { path: '/screenings', name: 'Screenings', icon: 'search_check' },
    ],
  },
  {
    name: 'Payments',
    of: [
      { path: '/events', name: 'Events', icon: 'receipt' },
      { path: '/agents', name: 'Agents', icon: 'bot' },
      { path: '/owners', name: 'Owners', icon: 'building' },
      { path: '/payees', name: 'Payees', icon: 'store' },
    ],
  },
  {
    name: 'Evidence',
    of: [
      { path: '/packs', name: 'Packs', icon: 'archive' },
      { path: '/log', name: 'Log', icon: 'log' },
    ],
  },
  {
    name: 'Rules',
    of: [
      { path: '/mandates', name: 'Mandates', icon: 'scroll' },
      { path: '/detectors', name: 'Detectors', icon: 'radar' },
    ],
  },
  {
    name: 'Settings',
    of: [
      { path: '/get-started', name: 'Get started', icon: 'rocket', for: 'configure', until: isSetUp },
      { path: '/api-keys', name: 'API keys', icon: 'key' },
      { path: '/ingestion', name: 'Ingestion', icon: 'inbox' },
      { path: '/sources', name: 'Sources', icon: 'plug' },
      { path: '/trusted-keys', name: 'Trusted keys', icon: 'fingerprint' },
      { path: '/webhooks', name: 'Webhooks', icon: 'webhook' },
      { path: '/members', name: 'Members', icon: 'users', for: 'administer' },
      { path: '/audit-log', name: 'Audit log', icon: 'history', for: 'administer' },
      { path: '/erasures', name: 'Erasures', icon: 'eraser', for: 'erase' },
    ],
  },
];
