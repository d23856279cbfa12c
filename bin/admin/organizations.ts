import { conflict } from '#shared/interface/errors.ts';
import { createOrganization, listOrganizations } from '#shared/people/organizations.ts';
import { createSetupLink } from '#shared/people/setup_links.ts';
import { baseUrlOf } from './base_url.ts';
import { type AdminCommand, needName } from './command.ts';

export const organizations: AdminCommand[] = [
  {
    name: 'org create',
    summary: 'Create an organization',
    options: [{ flags: '--name <name>', about: 'its name, unique in this deployment', required: true }],
    run: (options, { db, config, now }) => createOrganization(db, config.environment, needName(options), now()),
  },
  {
    name: 'org list',
    summary: 'List the organizations',
    options: [],
    run: async (_given, { db }) => ({ data: await listOrganizations(db) }),
  },
  {
    name: 'setup-link',
    summary: 'Create a link for setting up the first organization and its owner in a browser; works once, for one day',
    options: [],
    async run(_given, { db, config, now }) {
      const link = await createSetupLink(db, now());
      if (!link) throw conflict('An organization already exists. Use `user create` and `sign-in-link`.');
      return { url: `${baseUrlOf(config)}/setup/${link.token}`, expires_at: link.expires_at };
    },
  },
];
