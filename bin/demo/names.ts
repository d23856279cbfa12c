// The yellow pages of the world. Every name is made up; the domains are reserved for examples (RFC 2606).

/** Name, origin, tool, and the price of each endpoint in micro-USD. */
export const meteredApis: readonly (readonly [string, string, string, Record<string, number>])[] = [
  ['Weatherline', 'https://api.weatherline.example', 'get_weather', { '/v1/current': 1_000, '/v1/forecast': 2_500 }],
  ['Pagefinder', 'https://api.pagefinder.example', 'web_search', { '/search': 5_000, '/news': 8_000 }],
  ['Readable', 'https://readable.example', 'fetch_page', { '/v2/extract': 2_000, '/v2/screenshot': 12_000 }],
  ['Ledgerscope', 'https://data.ledgerscope.example', 'chain_lookup', { '/v1/address': 3_000, '/v1/trace': 15_000 }],
  ['Quotebook', 'https://quotebook.example', 'get_quote', { '/v1/quote': 1_000, '/v1/history': 10_000 }],
  ['Polyglot Cloud', 'https://polyglot.example', 'translate', { '/translate': 4_000, '/detect': 1_000 }],
  ['Papertrail Archive', 'https://papers.example', 'find_paper', { '/v1/search': 6_000, '/v1/fulltext': 50_000 }],
  ['Mapsmith', 'https://api.mapsmith.example', 'geocode', { '/v1/geocode': 1_500, '/v1/route': 5_000 }],
  ['Inferno Mesh', 'https://inferno.example', 'run_model', { '/v1/embed': 2_000, '/v1/generate': 25_000 }],
];

/** Data sets that are bought again and again: name, origin, path, price in micro-USD. */
export const dataFeeds: readonly (readonly [string, string, string, number])[] = [
  ['Harbour Index', 'https://harbour-index.example', '/v1/rotterdam/today', 400_000],
  ['Crop Report', 'https://crops.example', '/v2/reports/daily', 600_000],
  ['Grid Prices', 'https://gridprices.example', '/day-ahead', 250_000],
  ['Freight Board', 'https://freightboard.example', '/v1/rates/sea', 800_000],
];

/** Name, country, merchant category code (ISO 18245), and what an order usually costs, in cents. */
export const shops = [
  ['Paperclip & Co', 'DE', '5943', 3_900],
  ['Kabel & Stecker', 'DE', '5732', 5_400],
  ['Boxwell Packaging', 'GB', '5085', 6_200],
  ['Officina Moderna', 'IT', '5021', 8_900],
  ['Prints by Noon', 'US', '2741', 4_600],
  ['Grainery Coffee', 'US', '5499', 2_800],
  ['Toolhaus', 'DE', '5251', 7_300],
  ['Lab & Lens', 'US', '5047', 9_800],
  ['Green Thumb Supply', 'NL', '5261', 5_100],
  ['Second Shelf Books', 'GB', '5942', 2_400],
  ['Clean Sweep', 'FR', '5169', 3_300],
  ['Badge & Banner', 'US', '7333', 4_100],
] as const;

export const stations = [
  ['Railbird', 'DE', '4112', 6_900],
  ['Intercity Nord', 'NL', '4112', 5_200],
  ['Hotel Bellevue Group', 'FR', '7011', 15_800],
  ['Inn & Out', 'US', '7011', 13_900],
  ['Airbridge', 'GB', '4511', 18_900],
  ['Kite Airlines', 'US', '4511', 21_400],
  ['City Cabs', 'GB', '4121', 3_200],
] as const;

/** Where journeys go: city and country. */
export const destinations: readonly (readonly [string, string])[] = [
  ['Lisbon', 'PT'],
  ['Vienna', 'AT'],
  ['Prague', 'CZ'],
  ['Oslo', 'NO'],
  ['Helsinki', 'FI'],
  ['Warsaw', 'PL'],
  ['Zurich', 'CH'],
  ['Brussels', 'BE'],
  ['Copenhagen', 'DK'],
  ['Stockholm', 'SE'],
  ['Athens', 'GR'],
  ['Budapest', 'HU'],
  ['Riga', 'LV'],
  ['Zagreb', 'HR'],
  ['Bucharest', 'RO'],
  ['Sofia', 'BG'],
  ['Tallinn', 'EE'],
  ['Valletta', 'MT'],
  ['Nicosia', 'CY'],
  ['Ljubljana', 'SI'],
  ['Istanbul', 'TR'],
  ['Tel Aviv', 'IL'],
  ['Dubai', 'AE'],
  ['Mumbai', 'IN'],
  ['Bangkok', 'TH'],
  ['Hanoi', 'VN'],
  ['Jakarta', 'ID'],
  ['Seoul', 'KR'],
  ['Sydney', 'AU'],
  ['Auckland', 'NZ'],
  ['Cape Town', 'ZA'],
  ['Nairobi', 'KE'],
  ['Cairo', 'EG'],
  ['Santiago', 'CL'],
  ['Lima', 'PE'],
  ['Bogotá', 'CO'],
  ['Montevideo', 'UY'],
  ['Toronto', 'CA'],
];

export const software = [
  ['Boardly', 'US', '5734', 1_200],
  ['Mailmint', 'US', '5734', 1_900],
  ['Formflow', 'US', '5734', 2_500],
  ['Driftwatch', 'US', '5734', 2_900],
  ['Pixelbench', 'GB', '5734', 1_500],
  ['Signwell', 'US', '5734', 2_000],
  ['Cloudcloset', 'IE', '5734', 990],
  ['Talkbridge', 'US', '5734', 1_490],
  ['Sheetwise', 'DE', '5734', 2_200],
  ['Errorlog', 'US', '5734', 2_600],
  ['Stockframe', 'US', '5734', 2_900],
  ['Linkpress', 'NL', '5734', 900],
  ['Metricly', 'US', '5734', 4_900],
  ['Fontyard', 'FR', '5734', 1_600],
  ['Datadeck Enterprise', 'US', '5734', 17_900],
] as const;

export const wholesalers = [
  ['Hafenspedition Ohl GmbH', 'DE'],
  ['Karton König KG', 'DE'],
  ['Stadtwerke Ebersau', 'DE'],
  ['Transports Vasseur SA', 'FR'],
  ['Imprimerie Lacombe', 'FR'],
  ['Bloemenveiling Oost', 'NL'],
  ['De Groot Koeltechniek', 'NL'],
  ['Aceites del Sur SL', 'ES'],
  ['Gestoría Pinar', 'ES'],
  ['Bureau Fiscal Martel', 'FR'],
  ['Lagerhaus Seitz', 'DE'],
  ['Velo Kurier Brandt', 'DE'],
] as const;

export const people = {
  first: ['Anna', 'Jonas', 'Marie', 'Luca', 'Sofie', 'Pablo', 'Eva', 'Noah', 'Inès', 'Milan', 'Clara', 'Tomás'],
  last: [
    'Albrecht',
    'Bakker',
    'Castaño',
    'Dubois',
    'Engel',
    'Fournier',
    'García',
    'Hoffmann',
    'Ibarra',
    'Jansen',
    'Keller',
    'Lefèvre',
    'Moreno',
    'Nagel',
    'Ortega',
    'Petit',
    'Quint',
    'Richter',
    'Smit',
    'Torres',
    'Ulrich',
    'Visser',
    'Weber',
    'Ybarra',
    'Zimmer',
  ],
};

/** What account numbers of a country look like after the check digits: a bank's letters, and how many characters in all. */
export const bankNames: Record<string, { prefix: string; length: number }> = {
  DE: { prefix: '', length: 18 },
  FR: { prefix: '', length: 23 },
  ES: { prefix: '', length: 20 },
  NL: { prefix: 'BANK', length: 14 },
  GB: { prefix: 'BANK', length: 18 },
  IE: { prefix: 'BANK', length: 18 },
};
