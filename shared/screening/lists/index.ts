import { euCsv } from './eu_csv.ts';
import type { ListFormat } from './list_format.ts';
import { ofacSdn } from './ofac_sdn.ts';
import { ofacXml } from './ofac_xml.ts';
import { openSanctions } from './opensanctions.ts';
import { ownCsv } from './own_csv.ts';
import { ukCsv } from './uk_csv.ts';
import { unXml } from './un_xml.ts';

/** Every format a list can be loaded from, under the name an operator types. */
export const listFormats = {
  'ofac-sdn': ofacSdn,
  'ofac-xml': ofacXml,
  'un-xml': unXml,
  'eu-csv': euCsv,
  'uk-csv': ukCsv,
  opensanctions: openSanctions,
  csv: ownCsv,
} satisfies Record<string, ListFormat>;

export type ListFormatName = keyof typeof listFormats;
