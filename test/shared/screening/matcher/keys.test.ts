import test from 'ava';
import type { KeyType } from '#shared/screening/matcher/entry.ts';
import { entry, search } from './helpers.ts';

const evm = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const bech32 = 'bc1qv7k70u2zynvem59u88ctdlaw7hc735d8xep9rq';
const base58 = '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h';

type Given = [type: KeyType, listed: string, asked: string, as?: KeyType];

const same: Given[] = [
  ['wallet', evm, evm.toLowerCase()],
  ['wallet', evm, `0X${evm.slice(2).toUpperCase()}`],
  ['wallet', evm, `eip155:8453:${evm}`],
  ['wallet', evm, `base:${evm}`],
  ['wallet', evm, `ethereum:${evm}@1?value=1`],
  ['wallet', bech32, bech32.toUpperCase()],
  ['wallet', bech32, `bitcoin:${bech32}?amount=0.1`],
  ['wallet', base58, ` ${base58}\n`],
  ['domain', 'www.Havana-Bank.co.uk', 'havana-bank.co.uk.'],
  ['domain', 'http://havana-bank.co.uk/index.html', 'https://pay.HAVANA-bank.co.uk:8443/x?y=1'],
  ['domain', 'https://t.me/somebody', 'https://t.me/Somebody/12'],
  ['domain', 'somebody.blogspot.com', 'https://somebody.blogspot.com/2024'],
  ['domain', 'müller.example', 'xn--mller-kva.example'],
  ['domain', 'evil.example', 'https://user:pw@evil.example/?x=a@b'],
  ['domain', 'evil.example', 'evil.example:8443/x'],
  ['domain', 'evil.example', '*.evil.example,'],
  ['domain', 'evil.example', '_dmarc.evil.example'],
  ['domain', 'https://www.youtube.com/@somebody', 'youtube.com/@Somebody/videos'],
  ['domain', 'https://twitter.com/somebody', 'x.com/somebody'],
  ['email', 'Info@Inb.ps', 'mailto:info@inb.ps'],
  ['email', 'info@inb.ps', 'INB <info@inb.ps>,'],
  ['iban', 'DE89370400440532013000', 'IBAN DE89 3704 0044 0532 0130 00'],
  ['document', '649385', '٦٤٩٣٨٥'],
  ['bic', 'HAVIGB2L', 'havigb2lxxx'],
  ['bic', 'HAVIGB2LXXX', 'HAVIGB2L123'],
  ['iban', 'DE89 3704 0044 0532 0130 00', 'de89370400440532013000'],
  ['imo', 'IMO 9187631', '9187631'],
  ['lei', '894500DKUWVBYZLLE651', '894500dkuwvbyzlle651', 'document'],
  ['document', 'G 649-385', 'g649385'],
  ['other', 'merchant:stripe:acct_1', 'merchant:stripe:acct_1'],
];

for (const [type, listed, asked, as = type] of same)
  test(`the ${type} ${listed} is found as ${JSON.stringify(asked)}, with its type and without`, t => {
    const entries = [entry({ entry_id: '1', keys: [{ type, value: listed, label: null }] })];
    t.is(search(entries, { keys: [{ type: as, value: asked }] }).length, 1);
    if (type !== 'imo') t.is(search(entries, { keys: [{ type: null, value: asked }] }).length, 1);
  });

const others: Given[] = [
  ['wallet', evm, `${evm.slice(0, 20)}7${evm.slice(21)}`],
  ['wallet', evm, '0x098B618b78a198cad1ce5fea8b3a13291d2b2f96'],
  ['wallet', base58, base58.toLowerCase()],
  ['wallet', bech32, bech32.replace('q', 'p')],
  ['domain', 'havana-bank.co.uk', 'nothavana-bank.co.uk'],
  ['domain', 'havana-bank.co.uk', 'havana-bank.co.uk.evil.example'],
  ['domain', 'havana-bank.co.uk', 'co.uk'],
  ['domain', 'pay.havana.example', 'havana.example'],
  ['domain', 'https://t.me/somebody', 't.me'],
  ['domain', 'https://t.me/somebody', 'https://t.me/somebodyelse'],
  ['domain', 'somebody.blogspot.com', 'other.blogspot.com'],
  ['domain', 'https://youtube.com/watch?v=AAA', 'https://youtube.com/watch?v=BBB'],
  ['domain', 'https://facebook.com/profile.php?id=100', 'https://facebook.com/profile.php?id=200'],
  ['domain', 'https://linkedin.com/in/', 'https://linkedin.com/in/somebody'],
  ['other', 'merchant:stripe:acct_1aBc', 'merchant:stripe:acct_1AbC'],
  ['other', 'agent:bot-12', 'agent:bot1-2'],
  ['email', 'info@inb.ps', 'ainfo@inb.ps'],
  ['email', 'info@inb.ps', 'inb.ps'],
  ['bic', 'HAVIGB2L', 'HAVZGB2L'],
  ['bic', 'HAVIGB2L123', 'HAVIGB2L'],
  ['imo', '9187631', '9187634'],
  ['document', '649385', '6493856'],
  ['document', '1', '1'],
];

for (const [type, listed, asked] of others)
  test(`the ${type} ${listed} is not ${asked}`, t => {
    const entries = [entry({ entry_id: '1', keys: [{ type, value: listed, label: null }] })];
    t.deepEqual(search(entries, { keys: [{ type, value: asked }] }), []);
    t.deepEqual(search(entries, { keys: [{ type: null, value: asked }] }), []);
  });
