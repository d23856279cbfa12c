import test from 'ava';
import { startAccount } from '#shared/screening/account.ts';
import { draft } from '#shared/screening/lists/draft.ts';
import { addRemarks } from '#shared/screening/lists/ofac_remarks.ts';
import { joinRemarks } from '#shared/screening/lists/ofac_seam.ts';
import { keysOf, namesOf } from '#test/fixtures/lists/reading.ts';

const items = [
  'DOB 17 Apr 1961',
  'nationality Bulgaria',
  'Passport A0042833 (Bulgaria)',
  'Digital Currency Address - XBT 1FictionaLAddressXXXXXXXXXXXXXXZYx9B',
  'alt. Digital Currency Address - ETH 0xF1c7000000000000000000000000000000000001',
  'alt. Digital Currency Address - TRX TFictionaLAddressXXXXXXXXXXXXXX9BQR',
  "a.k.a. 'QUILLS'",
  'Email Address zorvan@quillfeather.example',
  'alt. Email Address post@quillfeather.example',
  'Website www.quillfeather.example',
  'Tax ID No. 7707083893 (Cyprus)',
  'SWIFT/BIC FICTZZ2L',
];
const remark = `${items.join('; ')}.`;

/** All that is read from remarks in these parts. */
function read(...parts: string[]) {
  const account = startAccount();
  const entry = draft(account, '1', 'person');
  addRemarks(entry, parts.reduce(joinRemarks));
  const { birth_dates, countries } = entry;
  return { keys: keysOf(entry), names: namesOf(entry, true), birth_dates, countries, account: account.total() };
}

test('remarks that are cut anywhere say what the whole says', t => {
  const whole = read(remark);
  t.is(whole.keys.length, 9);
  t.deepEqual(whole.account.not_understood, []);
  for (let cut = 1; cut < remark.length; cut += 1)
    t.deepEqual(read(remark.slice(0, cut), remark.slice(cut)), whole, `cut after “${remark.slice(cut - 12, cut)}”`);
});

test('they do so in copies that have lost the spaces at the cut', t => {
  const whole = read(remark);
  for (let cut = 1; cut < remark.length; cut += 1) {
    const [first, next] = [remark.slice(0, cut), remark.slice(cut)];
    t.deepEqual(read(first.trimEnd(), next.trimStart()), whole, `cut after “${first.slice(-12)}”`);
  }
});

test('and where another item begins at the cut without a semicolon', t => {
  const whole = read(remark);
  for (let at = 1; at < items.length; at += 1) {
    const [first, next] = [items.slice(0, at).join('; '), `${items.slice(at).join('; ')}.`];
    for (const end of ['', '.', ';', '; ']) t.deepEqual(read(`${first}${end}`, next), whole, `before ${items[at]}`);
  }
});

test('remarks go on more than once', t => {
  t.deepEqual(read(remark.slice(0, 100), remark.slice(100, 200), remark.slice(200)), read(remark));
});

test('a name in quotes that is cut between its words stays one name', t => {
  t.is(
    joinRemarks("DOB 1961; a.k.a. 'ABU ", "COLONEL MUSA'; nationality Iraq."),
    "DOB 1961; a.k.a. 'ABU COLONEL MUSA'; nationality Iraq.",
  );
  t.is(joinRemarks("a.k.a. 'O'NEIL'", 'DOB 1961.'), "a.k.a. 'O'NEIL'; DOB 1961.");
});

test('a number keeps the codes in parentheses within it, and is found without its check digit', t => {
  const entry = draft(startAccount(), '1', 'person');
  addRemarks(
    entry,
    'National ID No. D489833(9) (Hong Kong); National ID No. 12/BAHANA(N)010023 (Burma); National ID No. (HWI)040182 (Burma); ' +
      'Registration Number 55120(Iran); Organization Code 792470309 (China); Public Registration Number 467323, Doc. 694710 (Panama).',
  );
  t.deepEqual(
    entry.keys.map(({ value }) => value),
    ['D489833(9)', 'D489833', '12/BAHANA(N)010023', '(HWI)040182', '55120', '792470309', '467323', '694710'],
  );
  t.deepEqual([...new Set(entry.countries)].toSorted(), ['CN', 'HK', 'IR', 'MM', 'PA']);
});

test('a number is found with the word before it and without', t => {
  const entry = draft(startAccount(), '1', 'person');
  addRemarks(
    entry,
    'Business Registration Document # UNP 101119568 (Belarus); Cedula No. Cedula: M-137560 (Guatemala); Identification Number IMO 5342883; ' +
      'Russian State Individual Business Registration Number Pattern (OGRNIP) 315183100004295 (Russia); Passport HE 473642.',
  );
  t.deepEqual(
    entry.keys.filter(({ type }) => type === 'document').map(({ value }) => value),
    ['UNP 101119568', '101119568', 'Cedula: M-137560', 'M-137560', 'IMO 5342883', '315183100004295', 'HE 473642'],
  );
});
