import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Config } from '#shared/settings/config.ts';
import type { Logger } from './log.ts';
import { SECOND } from '#shared/values/time.ts';

export type Mail = { to: string; subject: string; text: string; html: string };

/** Sends mail in the background: `post` returns at once and never throws; `close` waits for mail under way. */
export type Mailer = {
  post(compose: () => Mail): void;
  /** Waits until the mail is accepted. False if it was not, which is logged; never throws. */
  send(mail: Mail & { message_id: string }): Promise<boolean>;
  close(): Promise<void>;
};

type Message = Mail & { messageId?: string; from: { name: string; address: string } };

/** Mail over SMTP_URL; without one, as a file each in DATA_DIR/mail, which only the service's account can read. */
export function createMailer({ smtp_url, base_url, data_dir }: MailConfig, log: Logger): Mailer {
  const from = { name: 'Agent Payment Oversight', address: senderOf(smtp_url, base_url) };
  const send = smtp_url ? overSmtp(smtp_url) : intoFolder(join(data_dir, 'mail'));
  const underWay = new Set<Promise<void>>();
  return {
    post(compose) {
      const sending = later()
        .then(() => send({ ...compose(), from }))
        .catch((error: unknown) => log.error({ fault: faultOf(error) }, 'mail not sent'))
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async send({ message_id, ...mail }) {
      try {
        await send({ ...mail, messageId: `<${message_id}@${from.address.split('@').at(-1)}>`, from });
        return true;
      } catch (error) {
        log.error({ fault: faultOf(error) }, 'mail not sent');
        return false;
      }
    },
    async close() {
      await Promise.all(underWay);
    },
  };
}

export type MailConfig = Pick<Config, 'smtp_url' | 'base_url' | 'data_dir'>;

/** After the current response, so that its time does not reveal whether there was mail to send. */
const later = () => new Promise<void>(resolve => setImmediate(resolve));

function senderOf(smtp_url: string | undefined, base_url: string): string {
  const chosen = smtp_url && new URL(smtp_url).searchParams.get('from');
  const { hostname } = new URL(base_url);
  return chosen || `no-reply@${isIP(hostname.replace(/^\[|\]$/g, '')) ? 'localhost' : hostname}`;
}

/** No mail may read a file or a URL, whatever it contains. */
const closed = { disableFileAccess: true, disableUrlAccess: true };

/** Loaded with the first mail: a process is ready 40 ms sooner without it. */
const nodemailer = () => import('nodemailer');

function overSmtp(url: string): (message: Message) => Promise<void> {
  const waits = { connectionTimeout: 10 * SECOND, greetingTimeout: 10 * SECOND, socketTimeout: 20 * SECOND };
  const open = async () => (await nodemailer()).createTransport({ url, ...waits, ...closed });
  let transport: ReturnType<typeof open> | undefined;
  return async message => {
    await (await (transport ??= open())).sendMail(message);
  };
}

function intoFolder(folder: string): (message: Message) => Promise<void> {
  const open = async () => (await nodemailer()).createTransport({ streamTransport: true, buffer: true, ...closed });
  return async message => {
    const { message: bytes } = await (await open()).sendMail(message);
    const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The folder lists only complete mails.
    await writeFile(join(folder, `${name}.part`), bytes, { mode: 0o600 });
    await rename(join(folder, `${name}.part`), join(folder, `${name}.eml`));
  };
}

/** The loggable part of a failure: mail servers' messages repeat addresses. */
function faultOf(error: unknown) {
  const { name, code, responseCode } = error as { name?: string; code?: string; responseCode?: number };
  return { name, code, responseCode };
}
