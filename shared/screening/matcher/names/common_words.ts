/** Abbreviations in names of organizations, and what they stand for. */
export const abbreviations = mapOf(
  `intl international|int international|internat international|trdg trading|trd trading|shpg shipping|shp shipping|tech technology
  |techs technologies|technol technology|gen general|mfg manufacturing|manuf manufacturing|ind industry|inds industries|indus industries
  |dev development|devt development|bros brothers|natl national|nat national|govt government|gov government|dept department
  |univ university|inst institute|assoc association|assn association|mgmt management|mgt management|svcs services|svc service
  |serv services|eng engineering|engg engineering|engr engineering|exch exchange|inv investment|invest investment|invt investment
  |comm commercial|coml commercial|bk bank|grp group|gp group|hldg holding|hldgs holdings|prod production|prods products|transp transport
  |trans transport|equip equipment|eqpt equipment|constr construction|const construction|elec electric|elect electric|electr electronics
  |petrochem petrochemical|chem chemical|pharm pharmaceutical|pharma pharmaceutical|agri agricultural|fin financial|finl financial
  |fdn foundation|found foundation|org organization|orgn organization|ctr center|cntr center|ent enterprises|entp enterprise
  |enterp enterprise|exp export|imp import|impex import|ins insurance|lab laboratory|labs laboratories|mktg marketing|mkt market
  |min ministry|mun municipal|prop property|props properties|res research|sys systems|syst systems|telecom telecommunications
  |logist logistics|mach machinery|mech mechanical|met metallurgical|metall metallurgical|navig navigation|off office|oper operations
  |centre center|labour labor|organisation organization|defence defense|st saint|sankt saint|mt mount|ft fort|bldg building
  |corpn corporation`,
);

/** Words so common in names of organizations that sharing them means little, whatever the list. */
export const genericWords = setOf(
  `international national general trading trade trader traders group holding holdings industry industries industrial import export imports
  exports shipping service services bank banking company corporation limited enterprise enterprises development management investment
  investments technology technologies solutions systems global world worldwide commercial commerce construction engineering energy
  oil gas petroleum petrochemical petrochemicals chemical chemicals transport transportation logistics maritime marine navigation airlines
  aviation air exchange money finance financial capital fund trust insurance center institute research scientific science production
  manufacturing products factory plant works supply supplies equipment electronics electronic electric machinery tools metals metal mining
  steel food foods agricultural medical pharmaceutical pharmaceuticals health media news network communications telecommunications telecom
  organization association foundation society union federation committee council ministry department office agency party movement front
  brothers sons family partners consulting consultants agency bureau project projects real estate property properties business
  markets market store stores shop supermarket hotel restaurant travel tourism security defense special state public private joint stock
  federal republic united new old first central north south east west northern southern eastern western branch
  ticaret sanayi ve anonim pazarlama ithalat ihracat lojistik
  comercializadora comercial distribuidora inversiones inversora grupo empresa empresas servicios constructora inmobiliaria transportes
  agropecuaria ganadera importadora exportadora sociedad desarrollos operadora promotora
  bio biotech biosciences bioscience biologics pharma therapeutics bancorp bancshares banc acquisition acquisitions equity income growth
  opportunity opportunities realty infrastructure resources resource minerals materials semiconductor semiconductors software digital data cloud
  labs laboratories laboratory networks interactive entertainment brands foods beverage apparel packaging power water solar renewable
  advisors credit mortgage savings etf dividend municipal shares notes preferred retail online
  american america china asia europe european african pacific
  kompaniya gruppa zavod predpriyatie nauchno proizvodstvennoe obedinenie torgovyi dom torgovy
  the of for and`,
);

/** Forms of address and ranks: they do not distinguish persons. */
export const titles = setOf(
  `mr mrs ms miss dr doctor prof professor sir lady lord dame sheikh shaikh shaykh sheik cheikh haji hajji hadji hajj alhaj alhaji mullah
  mulla molla maulavi mawlawi maulawi mowlawi moulvi mawlana maulana qari hafiz hafez ustad ayatollah imam sayyid sayyed seyed seyyed syed
  general gen colonel col major maj captain capt lieutenant lt brigadier brig admiral marshal commander cmdr sergeant sgt eng engineer ing
  lic licenciado don dona senor senora herr frau president prime minister king prince princess hon honorable honourable rev reverend father
  mv ms ss mt mts mtr fv mr`,
);

/** Small words within names, each with one word for all its equivalents: Arabic articles, sons, daughters, `and`. */
export const particles: ReadonlyMap<string, string> = new Map(
  `al el ul ur ud us ad an ar as at az ash ed es il|bin ibn ben bn|bint bt binti|and y e i et und og och ve|of de del di da do dos das du
   |the la las le les los lo|von van|der den ter ten|wal wa|for|a|to|in|on|zu zur zum|am|im|af|av|bani banu|umm|oglu ogly uulu`
    .split('|')
    .flatMap(group => {
      const words = group.trim().split(/\s+/);
      return words.map(word => [word, words[0] ?? word] as const);
    }),
);

/** Numbers in words, as in names of organizations and vessels. */
export const numberWords = mapOf(
  `one 1|two 2|three 3|four 4|five 5|six 6|seven 7|eight 8|nine 9|ten 10|eleven 11|twelve 12|thirteen 13|fourteen 14|fifteen 15|sixteen 16
  |seventeen 17|eighteen 18|nineteen 19|twenty 20|thirty 30|forty 40|fourty 40|fifty 50|sixty 60|seventy 70|eighty 80|ninety 90
  |ii 2|iii 3|iv 4|vi 6|vii 7|viii 8|ix 9|xi 11|xii 12|xiii 13|xiv 14|xv 15|first 1|second 2|third 3|fourth 4|fifth 5`,
);

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}

function mapOf(pairs: string): ReadonlyMap<string, string> {
  return new Map(
    pairs.split('|').map(pair => {
      const [from = '', to = ''] = pair.trim().split(/\s+/);
      return [from, to] as const;
    }),
  );
}
