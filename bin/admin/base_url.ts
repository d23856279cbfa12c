import { readAddress } from '#bin/address.ts';
import { addressOf } from '#shared/settings/address.ts';
import type { Config } from '#shared/settings/config.ts';

/** Where links lead. Without a BASE_URL: to the service of the data directory, which may run on another port than ours. */
export function baseUrlOf({ base_url, host, port, database_url, data_dir }: Config): string {
  const is_configured = base_url !== addressOf(host, port) || database_url;
  return is_configured ? base_url : (readAddress(data_dir) ?? base_url);
}
