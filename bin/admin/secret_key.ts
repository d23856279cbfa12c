import { giveUpLostKeys } from '#shared/running/secret_key/give_up.ts';
import { surveySecrets } from '#shared/running/secret_key/survey.ts';
import type { AdminCommand } from './command.ts';

export const secretKey: AdminCommand[] = [
  {
    name: 'secret-key status',
    summary: 'Say what is sealed with which SECRET_KEY, and whether the earlier one can go',
    options: [],
    any_secret_key: true,
    run: (_given, { db, config }) => surveySecrets(db, config.secret_key),
  },
  {
    name: 'secret-key lost',
    summary:
      'For a SECRET_KEY that is lost for good: say what is lost with it; with --confirm go on with the one given, make anew what can be made anew and disable the rest',
    options: [{ flags: '--confirm', about: 'do it; without it nothing is changed' }],
    any_secret_key: true,
    async run(options, services) {
      const confirmed = options['confirm'] !== undefined;
      return { done: confirmed, ...(await giveUpLostKeys(services, confirmed)) };
    },
  },
];
