import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { invalidDetail } from '#shared/interface/errors.ts';
import { requestFullRescreen } from '#shared/screening/store/rescreens.ts';
import {
  DEFAULT_THRESHOLD,
  readThreshold,
  saveThreshold,
  ThresholdInput,
} from '#shared/screening/store/screening_settings.ts';
import { EVERYBODY } from '#shared/screening/store/screening_lists.ts';
import { changeAsOperator } from './change.ts';
import { type AdminCommand, anyOrgOption, need, orgOption, tenantOf } from './command.ts';
import { screenFile } from './screen_file.ts';
import { createSearch } from '#shared/screening/search/search.ts';

export const screening: AdminCommand[] = [
  {
    name: 'screening set',
    summary:
      'Set from which score on a match of an organization’s payees has to be reviewed; they are all screened anew',
    options: [orgOption, { flags: '--threshold <0 to 1>', about: `by default ${DEFAULT_THRESHOLD}`, required: true }],
    async run(options, services) {
      const tenant = await tenantOf(options, services);
      const threshold = thresholdOf(need(options, 'threshold'));
      return changeAsOperator(services, tenant, [], async (tx, now) => {
        const before = await readThreshold(tx, tenant);
        await saveThreshold(tx, tenant, threshold, now);
        if (threshold !== before) await requestFullRescreen(tx, tenant, now);
        const changed = { target_id: null, before: { threshold: before }, after: { threshold } };
        return { result: { threshold }, entries: [{ action: 'screening.settings_changed', ...changed }] };
      });
    },
  },
  {
    name: 'screen',
    summary: 'Screen the names in a CSV file; writes them with their matches as CSV and stores nothing',
    options: [
      anyOrgOption,
      { flags: '--threshold <0 to 1>', about: 'from which score on; the organization’s own when left out' },
      { flags: '--out <file>', about: 'where to write to instead of here' },
    ],
    argument: { name: '<file>', about: 'CSV with a header: any of name, type, country, key, date_of_birth, aliases' },
    async run(options, services, shell) {
      const path = need(options, 'argument');
      const tenant = options['org'] === undefined ? null : await tenantOf(options, services);
      const threshold =
        options['threshold'] === undefined
          ? tenant
            ? await readThreshold(services.db, tenant)
            : DEFAULT_THRESHOLD
          : thresholdOf(options['threshold']);
      const lists = await services.lists.newest(tenant?.org_id ?? EVERYBODY);
      // Nobody else asks here: every processor may search.
      const search = createSearch({ log: services.log, most: availableParallelism() });
      return screenFile(path, {
        lists,
        threshold,
        search,
        out: options['out'],
        json: options['json'] !== undefined,
        now: services.now,
        shell,
      }).finally(search.close);
    },
  },
];

function thresholdOf(text: string): number {
  const parsed = z.coerce
    .number()
    .pipe(ThresholdInput)
    .safeParse(text.trim() || undefined);
  if (parsed.success) return parsed.data;
  throw invalidDetail('/threshold', 'invalid_value', '--threshold takes a number from 0 to 1, such as 0.9.');
}
