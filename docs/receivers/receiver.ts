// A receiver of webhooks in TypeScript, without packages: SECRET=whsec_… PORT=4000 node receiver.ts (Node 22.18 or newer)
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

const { SECRET = '', PORT = '4000' } = process.env;
const TOLERANCE = 5 * 60 * 1000;

/** What of a header comes twice is joined; what is missing is empty. */
const header = ({ headers }: IncomingMessage, name: string) => String(headers[name] ?? '');

const isRecent = (time: number) => Math.abs(Date.now() - time) <= TOLERANCE;

const hmac = (key: string | Buffer, head: string, body: Buffer) =>
  createHmac('sha256', key).update(`${head}.`).update(body).digest();

/** Compares in a time that says nothing of where the two differ. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `Service-Signature`: hex, keyed with the whole secret, over the time as it was sent, a dot and the raw body. */
function hasServiceSignature(request: IncomingMessage, body: Buffer): boolean {
  const time = header(request, 'service-timestamp');
  const expected = `v1=${hmac(SECRET, time, body).toString('hex')}`;
  return isRecent(Date.parse(time)) && isSame(header(request, 'service-signature'), expected);
}

/** Standard Webhooks: base64, one signature or several; a generated secret is decoded, one you chose is used as it is. */
function hasStandardSignature(request: IncomingMessage, body: Buffer): boolean {
  const [id, seconds] = [header(request, 'webhook-id'), header(request, 'webhook-timestamp')];
  const key = SECRET.startsWith('whsec_') ? Buffer.from(SECRET.slice(6), 'base64') : SECRET;
  const expected = `v1,${hmac(key, `${id}.${seconds}`, body).toString('base64')}`;
  const signatures = header(request, 'webhook-signature').split(' ');
  return isRecent(Number(seconds) * 1000) && signatures.some(signature => isSame(signature, expected));
}

// Keep these ids in your database, where every process sees them, in the transaction of what you do about the delivery.
const seen = new Set<string>();

createServer(async (request, response) => {
  const body = await buffer(request);
  if (!hasServiceSignature(request, body) && !hasStandardSignature(request, body)) {
    response.writeHead(401).end();
    return;
  }
  // The answer first, the work afterwards: after ten seconds the delivery counts as failed.
  response.writeHead(204).end();
  const id = header(request, 'service-delivery-id');
  if (seen.has(id)) return console.log('repeated', id);
  seen.add(id);
  const { type, data } = JSON.parse(body.toString());
  console.log('received', type, id, data);
}).listen(Number(PORT), '127.0.0.1', () => console.log('listening'));
