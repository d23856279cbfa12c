import { gzipSync } from 'node:zlib';
import test from 'ava';
import { fixture, folderOf, readAll, readText, refusal } from '#test/fixtures/lists/reading.ts';

const row = (number: number, name = 'NOBODY') =>
  `${number},"${name}","individual","FICTION",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n`;
const un = (inside: string) => `<?xml version="1.0"?><CONSOLIDATED_LIST>${inside}</CONSOLIDATED_LIST>`;
const entity = '<ENTITY><FIRST_NAME>NULLCO</FIRST_NAME><REFERENCE_NUMBER>FIe.1</REFERENCE_NUMBER></ENTITY>';

test('what is no text is refused, and what it is is said', async t => {
  const says = async (content: string | Uint8Array) => refusal(t, 'ofac-sdn', 'sdn.csv', content);
  t.is(await says(''), 'sdn.csv: the file is empty; fetch it again');
  t.is(await says(gzipSync(row(1))), 'sdn.csv: is packed with gzip; unpack it first (gunzip)');
  t.regex(await says('PK\x03\x04zip'), /^sdn\.csv: is a ZIP archive that cannot be unpacked .*; fetch it again$/);
  t.regex(await says(Buffer.from(`\ufeff${row(1)}`, 'utf16le')), /^sdn\.csv: is UTF-16; convert it to UTF-8/);
  t.regex(await says(`${row(1)}${row(2, 'NO\0BODY')}`), /^sdn\.csv, line 2: a NUL byte; the file is damaged/);
  t.regex(await says(' <!DOCTYPE html><html><body>404'), /^sdn\.csv: is a web page \(HTML\), not a list/);
  const latin1 = Buffer.concat([Buffer.from(row(1) + row(2)), Buffer.from(row(3, 'JOSÉ'), 'latin1')]);
  t.regex(await says(latin1), /^sdn\.csv, line 3: bytes that are not UTF-8; fetch the file again, or convert it/);
  t.regex(await says(Buffer.from(`${row(1)}É`).subarray(0, -1)), /^sdn\.csv, line 2: bytes that are not UTF-8/);
});

test('a byte order mark does no harm, wherever the file is cut into chunks', async t => {
  const many = Array.from({ length: 4_000 }, (_, index) => row(index + 1, `ПЁТР №${index} ÆØÅ 李明`)).join('');
  const { entries } = await readText(t, 'ofac-sdn', 'sdn.csv', `\ufeff${many}`);
  t.is(entries.length, 4_000);
  t.true(entries.every(({ name }) => /^ПЁТР №\d+ ÆØÅ 李明$/.test(name)));
});

test('a CSV file that is cut off, or another one, is refused with its line', async t => {
  const says = async (content: string) => refusal(t, 'ofac-sdn', 'sdn.csv', content);
  t.regex(
    await says(`${row(1)}${row(2).slice(0, 8)}`),
    /line 2: a quoted field is not closed before the end of the file/,
  );
  t.regex(
    await says(`${row(1)}${row(2).slice(0, 38)}`),
    /^sdn\.csv, line 2: 5 columns instead of 12; the file is cut off/,
  );
  t.regex(
    await says(`${row(1)}${row(2).trimEnd()}`),
    /^sdn\.csv, line 2: the last line has no end; the file is cut off/,
  );
  t.regex(await says('36,12,aka,AERO,-0- \n'), /line 1: 5 columns instead of 12/);
  t.regex(await says(row(1).replace('1,', 'one,')), /line 1: "one" instead of an entry's number in the first column/);
  t.regex(await says(row(1).replace('individual', 'robot')), /line 1: the type "robot" is none of OFAC's/);
  t.regex(await says(`${row(1)}2,"A" b,x\n`), /^sdn\.csv, line 2: text follows the closing quote of a field/);
  t.regex(await says(`${row(1)}2,"${'A'.repeat(5_000_000)}`), /line 2: a record is longer than 4 MB/);
});

test('columns that a publisher has are missed by name', async t => {
  t.regex(
    await refusal(t, 'eu-csv', 'eu.csv', 'a;b\n1;2\n'),
    /^eu\.csv, line 1: no column Entity_LogicalId, .* \(but a, b\)/,
  );
  t.regex(await refusal(t, 'uk-csv', 'uk.csv', 'a,b\n1,2\n3,4\n5,6\n'), /^uk\.csv, line 4: no header with "Name 6"/);
  t.regex(await refusal(t, 'uk-csv', 'uk.csv', 'Report Date: today\n'), /^uk\.csv, line 1: no header with "Unique ID"/);
  t.regex(await refusal(t, 'opensanctions', 'x.csv', 'id,name\n1,A\n'), /^x\.csv, line 1: no column schema, aliases,/);
  const cut = 'Entity_LogicalId;Entity_SubjectType;NameAlias_WholeName\n1;P;A\n2;P\n';
  t.regex(await refusal(t, 'eu-csv', 'eu.csv', cut), /^eu\.csv, line 3: 2 columns instead of 3/);
  t.regex(
    await refusal(t, 'eu-csv', 'eu.csv', cut.replace('2;P', ';P;B')),
    /line 3: a row without Entity_EU_ReferenceNumber/,
  );
});

test('XML that is cut off, not well-formed, or of another root is refused with its line', async t => {
  const says = async (content: string) => refusal(t, 'un-xml', 'un.xml', content);
  const whole = un(`\n<ENTITIES>\n${entity}\n</ENTITIES>`);
  t.regex(
    await says(whole.slice(0, whole.indexOf('NULLCO'))),
    /^un\.xml, line 3: the file ends within <FIRST_NAME>; it is cut/,
  );
  t.regex(await says(whole.slice(0, -30)), /^un\.xml, line 4: the file ends before its root element is closed/);
  t.regex(
    await says(whole.replace('</FIRST_NAME>', '</LAST_NAME>')),
    /^un\.xml, line 3: is not well-formed XML: unexpected close/,
  );
  t.regex(await says('<sdnList></sdnList>'), /line 1: the root element is <sdnList> instead of <CONSOLIDATED_LIST>/);
  t.regex(await says('name,country\n'), /^un\.xml, line 1: is not XML: it does not begin with "<"/);
  t.regex(
    await says(un('<ENTITY><FIRST_NAME>NULLCO</FIRST_NAME></ENTITY>')),
    /line 1: an <ENTITY> without REFERENCE_NUMBER/,
  );
});

test('entities, deep nesting and endless texts of XML are refused at once', async t => {
  const says = async (content: string) => refusal(t, 'un-xml', 'un.xml', content);
  const bomb = '<!DOCTYPE a [<!ENTITY lol "lol"><!ENTITY l2 "&lol;&lol;">]>';
  t.regex(
    await says(`<?xml version="1.0"?>${bomb}<CONSOLIDATED_LIST>&l2;</CONSOLIDATED_LIST>`),
    /a DOCTYPE declaration/,
  );
  t.regex(await says(un('<a>'.repeat(70))), /elements are nested more than 64 levels deep/);
  t.regex(await says(un(`<ENTITY>${'A'.repeat(1_300_000)}`)), /a text, tag or comment is longer than 1 MB/);
  t.regex(await says(un(`<ENTITY a="${'A'.repeat(1_300_000)}`)), /a text, tag or comment is longer than 1 MB/);
  t.regex(await says(un(`<!--${'A'.repeat(1_300_000)}`)), /a text, tag or comment is longer than 1 MB/);
  t.regex(await says(un(`<ENTITY>${'<b/>'.repeat(200_001)}`)), /one <ENTITY> holds more than 200000 elements/);
});

test('JSON lines that are cut off, or no JSON lines, are refused with their line', async t => {
  const says = async (content: string) => refusal(t, 'opensanctions', 'e.json', content);
  const line = '{"id":"a","schema":"Person","properties":{"name":["Nobody"]}}\n';
  t.regex(await says(line + line.slice(0, 20)), /^e\.json, line 2: is not JSON; the file is cut off or damaged/);
  t.regex(await says(`[${line}]`), /^e\.json, line 1: is one JSON array; JSON lines has an object on every line/);
  t.regex(await says(`${line}7\n`), /^e\.json, line 2: is not a JSON object/);
  t.regex(await says(`${line}{"schema":"Person"}\n`), /^e\.json, line 2: an entity without "id"/);
  t.regex(await says(line + 'x'.repeat(4_300_000)), /^e\.json, line 2: a line is longer than 4 MB/);
});

test('a missing file, a folder without the files, and a folder with several are said', async t => {
  await t.throwsAsync(readAll('csv', '/nowhere/own.csv'), { message: /^own\.csv: there is no such file or folder/ });
  const empty = await folderOf(t, {});
  await t.throwsAsync(readAll('ofac-sdn', empty), {
    name: 'ListError',
    message: /: the folder holds no sdn\.csv and no cons_prim\.csv$/,
  });
  await t.throwsAsync(readAll('un-xml', empty), {
    message: /: the folder holds none of the files that this format reads$/,
  });
  const two = await folderOf(t, { 'a.csv': 'name\nA\n', 'b.csv': 'name\nB\n' });
  await t.throwsAsync(readAll('csv', two), { message: /holds several such files \(a\.csv, b\.csv\); name one$/ });
  await t.throwsAsync(readAll('un-xml', fixture('eu.csv')), { message: /^eu\.csv, line 1: is not XML/ });
});
