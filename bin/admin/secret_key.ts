import { giveUpLostKeys } from '#shared/running/secret_key/give_up.ts';
import { surveySecrets } from '#shared/running/secret_key/survey.ts';
import { takeBack } from '#shared/settings/made_once.ts';
import type { Config } from '#shared/settings/config.ts';
import type { AdminCommand } from './command.ts';

export const secretKey: AdminCommand[] = [
  {
    name: 'secret-key status',
    summary: 'Say what is sealed with which SECRET_KEY, and whether the earlier one can go',
    options: [],
    any_secret_key: true,
    async run({ json }, { db, config }) {
      const { keys, secrets, done } = await surveySecrets(db, config.secret_key);
      if (keys.some(({ given }) => !given)) leaveNoKey(config);
      const current = keys.find(({ seals }) => seals)?.id;
      if (json) return { keys, secrets, done, current };
      const sum = (of: 'total' | 'to_do' | 'lost') => secrets.reduce((total, each) => total + each[of], 0);
      const needed = keys.filter(key => key.needed).map(({ id }) => id);
      return { done, current, needed, secrets: sum('total'), to_do: sum('to_do'), lost: sum('lost') };
    },
  },
  {
    name: 'secret-key lost',
    summary:
      'For a SECRET_KEY that is lost for good: say what is lost with it; with --confirm go on with the one given, make anew what can be made anew and disable the rest',
    options: [{ flags: '--confirm', about: 'do it; without it nothing is changed' }],
    any_secret_key: true,
    async run(options, services) {
      const confirmed = options['confirm'] !== undefined;
      const lost = await giveUpLostKeys(services, confirmed);
      if (!confirmed && lost.keys.length > 0) leaveNoKey(services.config);
      if (!options['json'] && Object.values(lost).every(({ length }) => length === 0))
        return 'Nothing is lost: SECRET_KEY opens everything. There is nothing to confirm.';
      return { done: confirmed, ...lost };
    },
  },
];

/** Where none was given one was made for this command: who only looked has not chosen it. */
const leaveNoKey = ({ secret_key }: Config) => void takeBack(secret_key[0].toString('base64'));
