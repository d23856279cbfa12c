import { createHash } from 'node:crypto';
import { documentText, html } from '#shared/platform/html.ts';
import type { Mail } from '#shared/platform/mail.ts';
import type { Notification } from './notifications.ts';

/** The most entries in one mail. */
const LISTED = 20;

/**
 * The mail that notifies a member: each event in a line with its link. It contains no payee, amount or person, and no title, which might.
 * The same notifications get the same `message_id`.
 */
export function notificationMail({ to, organization, base_url, of }: Told): Mail & { message_id: string } {
  const lines = of.slice(0, LISTED).map(each => ({ says: wordsOf(each), url: base_url + pathOf(each) }));
  const more = of.length - lines.length;
  const first = lines[0]?.says ?? '';
  const subject = of.length === 1 ? `${first} in ${organization}` : `${of.length} updates in ${organization}`;
  const rest = more > 0 ? [{ says: `${more} more`, url: `${base_url}/incidents` }] : [];
  const all = [...lines, ...rest];
  const settings = `${base_url}/account`;
  return {
    to,
    subject,
    message_id: createHash('sha256')
      .update(JSON.stringify(of.map(({ kind, subject_id, entry_id }) => [to, kind, subject_id, entry_id])))
      .digest('hex')
      .slice(0, 40),
    text: `${all.map(({ says, url }) => `${says}\n${url}\n`).join('\n')}\nChange what you are emailed about: ${settings}\n`,
    html: documentText(html`<html lang="en"><body style="font-family: sans-serif">
      ${all.map(({ says, url }) => html`<p>${says}<br /><a href=${url}>${url}</a></p>`)}
      <p><a href=${settings}>Change what you are emailed about</a></p>
    </body></html>`),
  };
}

type Told = { to: string; organization: string; base_url: string; of: readonly Notification[] };

const wordsOf = ({ kind, severity }: Notification): string => {
  if (kind === 'incident') return `New ${severity ?? ''} incident`;
  return kind === 'assignment' ? 'Case assigned to you' : 'You were mentioned in a case';
};

const pathOf = ({ kind, subject_id }: Notification): string =>
  `/${kind === 'incident' ? 'incidents' : 'cases'}/${subject_id}`;
