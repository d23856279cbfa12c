import type { KeyType } from '#shared/screening/matcher/entry.ts';

const words = (text: string) => text.split(/\s+/);

/** Which property of FollowTheMoney is which kind of identifier; the property's name is the label. */
export const keyProperties: [string, KeyType][] = [
  ['website', 'domain'],
  ['email', 'email'],
  ['swiftBic', 'bic'],
  ['leiCode', 'lei'],
  ['imoNumber', 'imo'],
  ['iban', 'iban'],
  ...words(
    'idNumber passportNumber socialSecurityNumber taxNumber licenseNumber innCode vatCode registrationNumber ogrnCode okpoCode ' +
      'uscCode dunsCode bikCode isinCode cikCode irsCode mbsCode npiCode pfrNumber uniqueEntityId jibCode voenCode mmsi ' +
      'crsNumber callSign serialNumber',
  ).map((property): [string, KeyType] => [property, 'document']),
];

export const strongNames = ['name', 'alias', 'previousName'];
export const weakNames = ['weakAlias', 'abbreviation'];
export const countryProperties = words('nationality citizenship country jurisdiction mainCountry flag pastFlags');

const used = new Set([
  ...keyProperties.map(([property]) => property),
  ...strongNames,
  ...weakNames,
  ...countryProperties,
  'birthDate',
  'address',
  'publicKey',
  'currency',
  'holder',
  'programId',
  'program',
  'topics',
]);

/** Parts of names, places of birth, what somebody does, what a ship is like, where it was read, and links to other entities. */
const unused = new Set(
  words(
    'notes position description summary title firstName lastName middleName secondName fatherName motherName nameSuffix maidenName ' +
      'gender birthPlace birthCountry deathDate deathPlace ethnicity religion political profession education height weight eyeColor ' +
      'hairColor appearance spokenLanguage phone legalForm status sector classification incorporationDate dissolutionDate taxStatus ' +
      'parent capital ticker ricCode coatoCode okatoCode ipoCode caemCode kppCode okvedCode okopfCode fnsCode fssCode oksmCode ' +
      'wikidataId wikipediaUrl alephUrl sourceUrl publisher publisherUrl opencorporatesUrl bvdId icijId giiNumber ' +
      'keywords addressEntity proof indexText createdAt modifiedAt retrievedAt type model operator owner buildDate registrationDate ' +
      'deregistrationDate registrationPort navigationArea tonnage grossRegisteredTonnage deadweightTonnage nameChangeDate pastTypes ' +
      'manufacturer icaoCode previousFlag balance balanceDate currencySymbol managingExchange mangingExchange accountId creationDate ' +
      'amount amountUsd amountEur legalBasis subnationalArea organization number',
  ),
);

/** Whether a property is taken, known to be of no use, or neither. */
export const kindOfProperty = (property: string): 'taken' | 'unused' | 'unknown' =>
  used.has(property) ? 'taken' : unused.has(property) ? 'unused' : 'unknown';

/** Entities that are none of a list's targets: they tie others together, or are things that are owned. */
export const otherSchemata = new Set(
  words(
    'Passport Identification Sanction Address Associate Directorship Employment Family Membership Occupancy Ownership Position ' +
      'Representation Succession UnknownLink Debt Payment Contract ContractAward CallForTenders Documentation Security Asset ' +
      'Vehicle RealEstate Event Project ProjectParticipant Risk Similar CourtCase CourtCaseParty EconomicActivity License ' +
      'TaxRoll Territory Trip Mention Note Article Document Folder Page Pages PlainText HyperText Image Table Email Message Call ' +
      'Statement Value Interval Interest',
  ),
);
