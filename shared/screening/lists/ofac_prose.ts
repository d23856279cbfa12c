/** Whether an item of OFAC's remarks begins with a label that never holds a name or identifier of the entry. */
export const isProse = (item: string): boolean => labeled.test(item);

/** Whether an item that nothing was read from is about a person's office, relatives or whereabouts. */
export const isTold = (item: string): boolean => (office.test(item) || biography.test(item)) && !mayIdentify.test(item);

/** Labels as they occur in the lists of 2024. */
const labels = [
  'Gender',
  'Linked To',
  'POB',
  'Secondary sanctions',
  'Transactions Prohibited',
  'Additional Sanctions',
  'Organization (?:Type|Established)',
  'Target Type',
  'Phone',
  'Telephone',
  String.raw`Tel\b`,
  'Fax',
  'Telex',
  String.raw`Alt\. (?:Fax|Telephone)`,
  'Aircraft (?:Model|Operator|Manufacture Date)',
  'Vessel (?:Year|Type|Owner|Gross|Tonnage|Deadweight)',
  'Other Vessel Type',
  '(?:Effective|Listing) Date',
  String.raw`Purchase/Sales For Divestment Date`,
  'Equity Ticker',
  'Executive Order',
  'CAATSA',
  'IFCA Determination',
  'For more information',
  'Chinese Commercial Code',
  'Interpol',
  'UN/LOCODE',
  'MICEX Code',
  'PEESA Information',
  'ICTY indictee',
  'Member',
  'Commander',
  'Judge',
  'named in UNSCR',
  String.raw`(?:former |current |previous |other )?(?:positions?|titles?|occupations?|rank|tribe|subtribe|ethnicity|organization)\b(?!.*\bNumber\b| Code\b)`,
  String.raw`(?:HAMAS|PFLP|DFLP)\b`,
  String.raw`(?:United States|U\.S\.) financial institutions`,
];
const labeled = new RegExp(`^(?:${labels.join('|')})`, 'i');

/** Words for a person's office or relatives. */
const office = new RegExp(
  String.raw`\b(?:${[
    'minist(?:er|ry)|secretary|governor|president|chair(?:man|person|woman)?|director|head|chief|manager|deputy|officer|official',
    'representative|member|employee|commander|general|colonel|major|lieutenant|admiral|captain|judge|magistrate|prosecutor|leader',
    'advis[eo]r|aide|rector|mayor|warden|ambassador|diplomat|consul|counselor|treasurer|founder|owner|professor|engineer|doctor',
    'business(?:man|woman|person)?|commissioner|mufti|speaker|principal|associate|dealer|supervisor|coordinator|spokes\\w+|agent',
    'envoy|inspector|ombudsman|congressman|counsellor|superintendent|ceo|constituent|manufacturer|consultancy',
    'wife|husband|son|daughter|brother|sister|father|mother|cousin|nephew|uncle|widow|in-law',
  ].join('|')})s?\b`,
  'i',
);

/** Other sentences about a person, and honorifics that stand alone. */
const biography =
  /^(?:(?:and )?all (?:other )?(?:offices|branches|locations)|and (?:all )?other locations|arrested|founded|oversaw|led|holder|wanted|currently|possibly|believed|operations in|also|only|from|associated with|passport (?:and|issued|place)|known to|detained|in custody|deceased|died|killed|ex-|haji$|maulana$|maulawi$|mullah$|mulawi$|shaykh$|sheikh$|ustad\w*$|hojjatoleslam$|ayatollah$|moulana$|qari$|kurdish$)/i;

/** Digits as many as numbers of documents have, addresses of the web, and names in quotes. */
const mayIdentify = /\d[\d /.-]{4,}\d|\d{5}|@|\bwww\.|https?:|['"“‘][^'"]{2,}['"”’]/i;
