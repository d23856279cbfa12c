import { createOrganization, listOrganizations } from '#shared/people/organizations.ts';
import { type AdminCommand, needName } from './command.ts';

export const organizations: AdminCommand[] = [
  {
    name: 'org create',
    summary: 'Make an organization',
    options: [{ flags: '--name <name>', about: 'its name, unique in this deployment', required: true }],
    run: (given, { db, config, now }) => createOrganization(db, config.environment, needName(given), now()),
  },
  {
    name: 'org list',
    summary: 'List the organizations',
    options: [],
    run: async (_given, { db }) => ({ data: await listOrganizations(db) }),
  },
];
