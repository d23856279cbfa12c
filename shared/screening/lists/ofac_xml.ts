import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import type { Accounting } from '#shared/screening/account.ts';
import { ListError } from './list_error.ts';
import { oneFile } from './list_files.ts';
import type { ListFormat } from './list_format.ts';
import { accountForDocuments, addReference, type AdvancedTables, advancedTables, partyEntry } from './ofac_advanced.ts';
import { plainEntry } from './ofac_plain.ts';
import { childrenOf, textAt, type XmlElement, xmlElements } from './xml_elements.ts';

/**
 * OFAC's list as XML: `sdn_advanced.xml` (the Sanctions Advanced standard) and `sdn.xml`, told apart by the root element. Entry
 * ids are those of the CSV files. In the advanced file the programmes come after all parties, so its entries wait in memory
 * for the end of the file, as in an index of them.
 */
export const ofacXml: ListFormat = {
  about:
    'OFAC SDN list as XML: sdn_advanced.xml (which also has other scripts) or sdn.xml; or its consolidated list: cons_advanced.xml or consolidated.xml',
  files: path => oneFile(path, [/^sdn_advanced\.xml$/i, /^sdn\.xml$/i, /advanced.*\.xml$/i, /^consolidated\.xml$/i]),
  async *read(input) {
    for (const path of input.files) {
      const source = input.open(path);
      const tables = advancedTables();
      const parties = new Map<string, ListEntry>();
      for await (const elements of xmlElements(source, { roots: ['Sanctions', 'sdnList'], wanted })) {
        for (const element of elements) {
          if (element.name === 'sdnEntry') yield plainEntry(element, source.name, input.account);
          else take(element, tables, parties, source.name, input.account);
        }
      }
      accountForDocuments(tables, input.account);
      yield* parties.values();
    }
  },
};

/** The records, and the tables that parties refer to. */
const wanted = new Set(
  (
    'sdnEntry DistinctParty SanctionsEntry Location IDRegDocument AreaCode Country DetailReference FeatureType ' +
    'IDRegDocType NamePartType PartySubType PartyType SanctionsType Script'
  ).split(' '),
);

function take(
  element: XmlElement,
  tables: AdvancedTables,
  parties: Map<string, ListEntry>,
  file: string,
  account: Accounting,
) {
  if (element.name === 'SanctionsEntry') return addPrograms(parties, tables, element);
  if (element.name !== 'DistinctParty') return addReference(tables, element);
  const entry = partyEntry(element, tables, file, account);
  if (parties.has(entry.entry_id)) throw new ListError(file, element.line, `the party ${entry.entry_id} comes twice`);
  parties.set(entry.entry_id, entry);
}

/** A measure of the type "Program" has the program as its comment. */
function addPrograms(parties: Map<string, ListEntry>, tables: AdvancedTables, element: XmlElement) {
  const entry = parties.get(element.attributes['ProfileID'] ?? '');
  for (const measure of childrenOf(element, 'SanctionsMeasure')) {
    const type = tables.text('SanctionsType', measure.attributes['SanctionsTypeID']);
    const program = textAt(measure, 'Comment');
    if (type === 'Program' && program) entry?.programs.push(program);
  }
}
