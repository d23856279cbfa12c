import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { SMTPServer } from 'smtp-server';
import { temporaryFolder } from './embedded_postgres.ts';
import { freePort } from './listening.ts';
import { until } from './until.ts';

/** The mails that a service without a mail server writes: in the order they were written, with the lines put together again. */
export async function mailFolder(t: ExecutionContext) {
  const DATA_DIR = await temporaryFolder(t);
  const folder = join(DATA_DIR, 'mail');
  const names = async () => (await readdir(folder).catch(() => [])).filter(name => name.endsWith('.eml')).toSorted();
  return {
    settings: { DATA_DIR },
    folder,
    names,
    /** Once there are so many, what is in them. */
    async mails(count: number): Promise<string[]> {
      await until(async () => (await names()).length >= count);
      return Promise.all((await names()).map(async name => readable(await readFile(join(folder, name), 'utf8'))));
    },
  };
}

/** A mail server, and the mails that it took. With `refuse`, it takes none. */
export async function mailServer(t: ExecutionContext, { refuse = false } = {}) {
  const taken: { from: string; to: string[]; text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, callback) => callback(refuse ? new Error('550 no such mailbox') : null),
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        taken.push({
          from,
          to: rcptTo.map(({ address }) => address),
          text: readable(Buffer.concat(chunks).toString()),
        });
        callback();
      });
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  t.teardown(() => new Promise<void>(resolve => server.close(() => resolve())));
  const { port } = listening.address() as AddressInfo;
  return {
    taken,
    settings: { SMTP_URL: `smtp://127.0.0.1:${port}?from=oversight@example.com` },
    async mails(count: number) {
      await until(async () => taken.length >= count);
      return taken;
    },
  };
}

/** The address of a mail server that is not there. */
export const noMailServer = async (): Promise<string> => `smtp://127.0.0.1:${await freePort()}`;

/** The path of the sign-in link in a mail. */
export function linkIn(mail: string | undefined): string {
  const path = /https?:\/\/[^\s/]+(\/sign-in\/[\w-]{43})\s/.exec(mail ?? '')?.[1];
  if (!path) throw new Error(`no sign-in link in: ${mail}`);
  return path;
}

/** Quoted-printable (RFC 2045 §6.7) undone. */
const readable = (mail: string) =>
  mail
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
