import test from 'ava';
import type { ListFormatName } from '#shared/settings/screening_lists_setting.ts';
import { startAccount } from '#shared/screening/account.ts';
import { draft } from '#shared/screening/lists/draft.ts';
import { addIdentifiersIn } from '#shared/screening/lists/free_text.ts';
import { readText } from '#test/fixtures/lists/reading.ts';

const wallet = `0x${'a1'.repeat(20)}`;
const bitcoin = '1BoatSLRHtKNngkdXEobR76b53LETtpyTT';

/** The identifiers found in a text, and how many items of it were of no use. */
function read(text: string, type: 'person' | 'organization' = 'organization') {
  const entry = draft(startAccount(), '1', type);
  addIdentifiersIn(entry, text);
  return [entry.keys.map(key => `${key.type} ${key.value}`), entry.account.total().of_no_use];
}

test('what a sentence calls an identifier is one, and so is what has the form of one', t => {
  const said: [string, string[]][] = [
    ['Diplomatic passport number 836110034, which expires on 1 January 2020', ['document 836110034']],
    ['Passport number: B0515260; DOB: 1948; Date of issue: 10 Jan 2012', ['document B0515260']],
    ['passport number OR 1961825 issued on 4 Feb. 2003', ['document OR 1961825']],
    ['passport nos. A123456, B234567 and C345678', ['document A123456', 'document B234567', 'document C345678']],
    ['Moroccan national identity card DE- 473900', ['document DE- 473900']],
    ['Identification Number (United States of America): 36-3804626.', ['document 36-3804626']],
    ['Business Registration Number LL06889 (Malaysia)', ['document LL06889']],
    ['OGRN: 1027700132195, INN: 7707083893', ['document 1027700132195', 'document 7707083893']],
    ['OGRN 1027700132195, INN 7702070139', ['document 1027700132195', 'document 7702070139']],
    ['Passport number is A1234567 12 May 2009; National ID: 1234567890', ['document A1234567', 'document 1234567890']],
    ['IBAN DE89370400440532013000 SWIFT MEBLLBBE', ['bic MEBLLBBE', 'iban DE89370400440532013000']],
    ['SWIFT/BIC: KUDBKPPY. SWIFT: KCBKKPP1XXX', ['bic KUDBKPPY', 'bic KCBKKPP1XXX']],
    [
      'Email addresses: a@silibank.example; b.c@silibank.example.',
      ['email a@silibank.example', 'email b.c@silibank.example'],
    ],
    ['Website: http://fog.example/ Review', ['domain http://fog.example/']],
    [
      'WEB[www.fog.example] EMAIL[info@fog.example] PHONE[0049 30 123456]',
      ['email info@fog.example', 'domain www.fog.example'],
    ],
    [`Sent to ${wallet}. Bitcoin wallet ${bitcoin}`, [`wallet ${wallet}`, `wallet ${bitcoin}`]],
    ['IBAN: DE89 3704 0044 0532 0130 00', ['iban DE89 3704 0044 0532 0130 00']],
  ];
  for (const [text, keys] of said) t.deepEqual(read(text), [keys, 0], text);
});

test('sources, telephones, dates and other numbers of a sentence are no identifiers', t => {
  const useless = [
    'Review pursuant to resolution 2253 (2015) was concluded on 7 June 2018; Tel. +236 72198628',
    'INTERPOL-UN Security Council Special Notice web link: https://www.interpol.int/en/How-we-work/View-UN',
    'Inmate number 11685-509, see www.news.example; passport issued 11/05/2005, expires 21 August 2015',
    'SWIFT REACTION of the party; passport number: 11/05/2005',
    'Date of registration 20150312; his account 100000 USD; Tazkira. Tel 0799123456; SWIFT by the MINISTRY of Finance',
  ];
  for (const text of useless) t.deepEqual(read(text), [[], 1], text);
  t.deepEqual(read(''), [[], 0]);
  t.deepEqual([read('owns IMO 9187629')[0], read('owns IMO 9187629', 'person')[0]], [['imo 9187629'], []]);
});

test('identifiers in the notes of every list are found', async t => {
  const keysIn = async (format: ListFormatName, name: string, text: string) => {
    const { entries } = await readText(t, format, name, text);
    return entries.flatMap(entry => entry.keys.map(({ value }) => value)).toSorted();
  };
  const un = `<?xml version="1.0"?><CONSOLIDATED_LIST><INDIVIDUALS><INDIVIDUAL><FIRST_NAME>Ada Fog</FIRST_NAME>
    <REFERENCE_NUMBER>X.1</REFERENCE_NUMBER><COMMENTS1>E-mail: a@fog.example</COMMENTS1>
    <INDIVIDUAL_ALIAS><ALIAS_NAME>A. Fog (false passport number C1111111)</ALIAS_NAME><NOTE>passport no. D2222222</NOTE></INDIVIDUAL_ALIAS>
    <INDIVIDUAL_DATE_OF_BIRTH><YEAR>1970</YEAR><NOTE>Passport No. 284158</NOTE></INDIVIDUAL_DATE_OF_BIRTH>
    <INDIVIDUAL_DOCUMENT><NUMBER>B1234567</NUMBER><NOTE>also passport number A7654321</NOTE></INDIVIDUAL_DOCUMENT>
    </INDIVIDUAL></INDIVIDUALS></CONSOLIDATED_LIST>`;
  t.deepEqual(await keysIn('un-xml', 'consolidated.xml', un), [
    '284158',
    'A7654321',
    'B1234567',
    'C1111111',
    'D2222222',
    'a@fog.example',
  ]);
  const eu =
    'Entity_LogicalId;Entity_SubjectType;NameAlias_WholeName;Entity_Remark;Address_ContactInfo;Identification_Remark\n' +
    '1;P;Ada Fog;passport No: B0515260;WEB[www.fog.example];also passport number A7654321\n';
  t.deepEqual(await keysIn('eu-csv', 'full.csv', eu), ['A7654321', 'B0515260', 'www.fog.example']);
  const uk =
    'Report Date: 1-Jan-2026\nUnique ID,Name 6,Name 1,Name type,Alias strength,Regime Name,Designation Type,' +
    'Other Information,Business registration number (s),Passport additional information\n' +
    'X1,Fog Ltd,,Primary Name,,Fog,Entity,Crypto wallet: ' +
    `${wallet},"OGRN: 1027700132195, INN: 7707083893",also passport number A7654321\n`;
  t.deepEqual(await keysIn('uk-csv', 'uk.csv', uk), [wallet, '1027700132195', '7707083893', 'A7654321'].toSorted());
  const lines = [
    { id: 'p', schema: 'Person', target: true, properties: { name: ['Ada Fog'] } },
    { id: 'd', schema: 'Passport', properties: { holder: ['p'], passportNumber: ['A7654321'] } },
    { id: 'b', schema: 'BankAccount', properties: { iban: ['DE89370400440532013000'] } },
  ];
  const ftm = lines.map(line => JSON.stringify(line)).join('\n');
  t.deepEqual(await keysIn('opensanctions', 'entities.ftm.json', ftm), ['A7654321']);
  const { summary } = await readText(t, 'opensanctions', 'entities.ftm.json', ftm);
  t.like(summary.account.not_understood, [{ label: 'schema BankAccount', items: 1 }]);
});
