import type { ListFormatName } from '#shared/settings/screening_lists_setting.ts';
import { euCsv } from './eu_csv.ts';
import type { ListFormat } from './list_format.ts';
import { ofacSdn } from './ofac_sdn.ts';
import { ofacXml } from './ofac_xml.ts';
import { openSanctions } from './opensanctions.ts';
import { ownCsv } from './own_csv.ts';
import { ukCsv } from './uk_csv.ts';
import { unXml } from './un_xml.ts';

/** How each format is read. */
export const listFormats: Record<ListFormatName, ListFormat> = {
  'ofac-sdn': ofacSdn,
  'ofac-xml': ofacXml,
  'un-xml': unXml,
  'eu-csv': euCsv,
  'uk-csv': ukCsv,
  opensanctions: openSanctions,
  csv: ownCsv,
};
