import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import test from 'ava';
import { resolveHost, guardedLookup, isPublic, literalFault, TargetBlocked } from '#shared/outbound/target.ts';

const privateAddresses = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::7f00:1',
  '::808:808',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001:0:7f00:1::',
  '2001:2::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];
const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.215.14',
  '::ffff:8.8.8.8',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
];

test('no private, local, reserved or tunneled address counts as public', t => {
  for (const address of privateAddresses) t.false(isPublic(address), address);
  for (const address of publicAddresses) t.true(isPublic(address), address);
  for (const garbage of ['', 'example.com', '1.2.3.4.5', '127.0.0.1\0', ':::']) t.false(isPublic(garbage), garbage);
});

test('an address in the URL is judged in whatever notation it stands', t => {
  const loopback = [
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '017700000001',
    '127.1',
    '127.0.0.1.',
    '127.000.000.001',
    '①②⑦.0.0.1',
  ];
  for (const host of loopback)
    t.regex(literalFault(new URL(`http://${host}/`).hostname) ?? '', /127\.0\.0\.1 is not/, host);
  for (const host of loopback) t.truthy(literalFault(host), `${host}, not parsed`);
  for (const address of privateAddresses) {
    const { hostname } = new URL(address.includes(':') ? `http://[${address}]/` : `http://${address}/`);
    t.truthy(literalFault(hostname), address);
    t.truthy(literalFault(address), `${address} without brackets`);
  }
  for (const address of publicAddresses) t.is(literalFault(address), null, address);
});

test('a name that is local by definition is refused before it is looked up', t => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'printer.local',
    'metadata.google.internal',
  ])
    t.regex(literalFault(host) ?? '', /names a local host/, host);
  for (const host of ['example.com', 'localhost.example.com', 'notlocalhost', 'internal.example'])
    t.is(literalFault(host), null, host);
});

test('a name that resolves to no public address is blocked, whichever private address it is', async t => {
  for (const address of privateAddresses) {
    const looking = lookedUp([{ address, family: address.includes(':') ? 6 : 4 }]);
    await t.throwsAsync(
      looking,
      { instanceOf: TargetBlocked, message: 'hook.example does not resolve to a public address' },
      address,
    );
  }
});

test('of several addresses, only the public ones are connected to', async t => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '8.8.8.8', family: 4 },
    { address: '::1', family: 6 },
    { address: '2606:4700::1111', family: 6 },
  ];
  t.deepEqual(await lookedUp(addresses), [addresses[1], addresses[3]]);
  const first = await new Promise((resolve, reject) =>
    guardedLookup(async () => addresses)('hook.example', {}, (error, address, family) =>
      error ? reject(error) : resolve([address, family]),
    ),
  );
  t.deepEqual(first, ['8.8.8.8', 4]);
});

test('name servers that do not answer cost no thread and end in an error', async t => {
  const silent = createSocket('udp4');
  await promisify(silent.bind.bind(silent) as (port: number, address: string, done: () => void) => void)(
    0,
    '127.0.0.1',
  );
  t.teardown(() => silent.close());
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${(silent.address() as AddressInfo).port}`]);
  const hung = Array.from({ length: 20 }, () => resolveHost('slow.example', resolver));
  const ends = Promise.allSettled(hung);
  const first = await Promise.race([ends, lookup('localhost').then(() => 'the threads are free')]);
  t.is(first, 'the threads are free');
  t.true((await ends).every(({ status }) => status === 'rejected'));
});

test('a name the name servers do not know is looked for in the hosts file', async t => {
  const unknown = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
  const resolver = Object.assign(new Resolver(), { resolve4: unknown, resolve6: unknown });
  t.true((await resolveHost('localhost', resolver)).some(({ address }) => address === '127.0.0.1'));
});

const lookedUp = (addresses: LookupAddress[]) =>
  new Promise<string | LookupAddress[]>((resolve, reject) =>
    guardedLookup(async () => addresses)('hook.example', { all: true }, (error, found) =>
      error ? reject(error) : resolve(found),
    ),
  );
