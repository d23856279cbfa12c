import { fileURLToPath } from 'node:url';
import type { ListFormatName } from '#shared/settings/screening_lists_setting.ts';

/** The product's own list of made-up persons, companies, vessels, wallets and domains, for demonstrations and tests. */
export const fictionalList = {
  name: 'fictional',
  format: 'csv' as const satisfies ListFormatName,
  path: fileURLToPath(new URL('./fictional.csv', import.meta.url)),
};
