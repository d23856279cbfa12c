import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { event } from '#test/helpers/make.ts';
import type { Place } from './place.ts';
import { note, type Tally } from './tally.ts';

/** What must never be called: a server on this machine, and the name server that leads there. */
export type Trap = { port: number; dns_port: number; hits: string[]; close(): void };

/** Names whose answers lead where nobody may go; `flips-` answers with a public address first, and with this machine ever after. */
const names = ['four', 'six', 'mapped', 'link', 'metadata', 'both', 'flips-a', 'flips-b', 'flips-c'];
/** Of IPv6, and never given out: it is public by its number, and there is nobody to be bothered. */
const NOBODY = '3000::1';

/** Opens the trap. A name server answers for `*.trap.example`, the same name differently from one time to the next. */
export async function openTrap(): Promise<Trap> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(`${request.headers.host} ${request.url}`);
    response.end();
  }).listen(0, '::');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = new Map<string, number>();
  const dns = createSocket('udp4', (message, { port: back, address }) => {
    const { name, type, end } = questionOf(message);
    const times = asked.get(`${name} ${type}`) ?? 0;
    asked.set(`${name} ${type}`, times + 1);
    dns.send(answerTo(message, end, type, addressesOf(name.split('.')[0] ?? '', type, times)), back, address);
  }).bind(0, '127.0.0.1');
  await once(dns, 'listening');
  return {
    port,
    dns_port: dns.address().port,
    hits,
    close() {
      server.close();
      server.closeAllConnections();
      dns.close();
    },
  };
}

/** What has a process ask this name server and no other. */
export const asksOnly = (dns_port: number): string =>
  `--import=data:text/javascript,${encodeURIComponent(`
    import dns from 'node:dns/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const Asked = dns.Resolver;
    dns.Resolver = class extends Asked { constructor(options) { super(options); this.setServers(['127.0.0.1:${dns_port}']); } };
    syncBuiltinESMExports();`)}`;

/** Endpoints at every way to write an address of this machine or its network: alerts are sent to all of them, and none arrives. */
export async function targets({ us, bench }: Place, tally: Tally, trap: Trap): Promise<void> {
  const { db, config, now } = bench.services;
  const written =
    '127.0.0.1 2130706433 0x7f.1 0x7f000001 0177.0.0.1 127.1 0 0.0.0.0 127.0.0.1. [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [64:ff9b::7f00:1] ' +
    '[2002:7f00:1::] [fe80::1] localhost LOCALHOST localhost. a.localhost ip6-localhost metadata.google.internal ①②⑦.⓪.⓪.① 169.254.169.254 ' +
    '168.63.129.16 10.0.0.1 192.168.0.1 100.64.0.1 [fd00:ec2::254]';
  const hosts = [...written.split(' '), ...names.map(name => `${name}.trap.example`)];
  for (const [index, host] of hosts.entries()) {
    tally.requests += 1;
    await createEndpoint(db, config, us.tenant, { url: `http://${host}:${trap.port}/${index}` }, now()).catch(() => {});
  }
  // What an event says of places is looked at, and not called.
  const url = `http://127.0.0.1:${trap.port}/event`;
  const header = Buffer.from(JSON.stringify({ alg: 'ES256', jku: url, x5u: url, kid: url })).toString('base64url');
  const token = `${header}.${Buffer.from(JSON.stringify({ iss: url })).toString('base64url')}.AAAA`;
  const twice = () =>
    [1, 2].map(() =>
      event({
        payee: 'domain:twice.example.com',
        more: {
          resource_url: url,
          signature: `${header}..AAAA`,
          evidence: ['kyapay.token', 'ap2.payment_mandate', 'x402.receipt', 'x402.offer', 'ap2.payment_receipt'].map(
            kind => ({
              kind,
              value: token,
            }),
          ),
          context: { tool_call_id: `call-${index}` },
        },
      }),
    );
  let index = 0;
  for (; index < 3; index += 1) {
    tally.requests += 1;
    await us.key.post('/v1/events', { events: twice() });
  }
  await us.analyze();
  const waiting = () =>
    db.oneFirst(sql.type(z.object({ n: z.number() }))`
      select count(*)::int as n from webhook_deliveries where org_id = ${us.tenant.org_id} and state = 'pending'`);
  const began = performance.now();
  while ((await waiting()) > 0 && performance.now() - began < 90_000) await pause(200);
  const delivered = await db.oneFirst(sql.type(z.object({ n: z.number() }))`
    select count(*)::int as n from webhook_deliveries where org_id = ${us.tenant.org_id} and state = 'delivered'`);
  if (delivered > 0) note(tally, 'leaks', `${delivered} webhooks were taken`);
  for (const hit of trap.hits) note(tally, 'leaks', `called: ${hit}`);
  if ((await waiting()) > 0) note(tally, 'hangs', 'deliveries that do not end');
}

const A = 1;
const AAAA = 28;

function addressesOf(name: string, type: number, times: number): string[] {
  if (name.startsWith('flips')) {
    if (times === 0) return type === AAAA ? [NOBODY] : [];
    return [type === A ? '127.0.0.1' : '::1'];
  }
  const four: Record<string, string[]> = {
    four: ['127.0.0.1'],
    link: ['169.254.1.1'],
    metadata: ['169.254.169.254'],
    both: ['127.0.0.1', '10.0.0.1'],
  };
  const six: Record<string, string[]> = { six: ['::1'], mapped: ['::ffff:7f00:1'], both: ['::1'] };
  return (type === A ? four[name] : six[name]) ?? [];
}

function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (message[at]) {
    const length = message[at] ?? 0;
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(message: Buffer, end: number, type: number, addresses: string[]): Buffer {
  const head = Buffer.from(message.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map(address => {
    const bytes = bytesOf(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([head, ...records]);
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [before = '', after = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const zeros = 8 - groups(before).length - groups(after).length;
  const all = [...groups(before), ...Array<string>(zeros).fill('0'), ...groups(after)];
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex');
}
