import { createHash } from 'node:crypto';
import { documentText, html } from '#shared/platform/html.ts';
import type { Mail } from '#shared/platform/mail.ts';
import { type Digest, digestWords } from './digest.ts';
import type { Notification } from './notifications.ts';

/** The most entries in one message. */
const LISTED = 20;

type Told = { organization: string; base_url: string; of: readonly Notification[]; digest: Digest | null };

/**
 * The message that notifies a member: each event in a line with its link. It contains no payee, amount or person, and no title, which
 * might.
 */
function messageOf({ organization, base_url, of, digest }: Told) {
  const lines = of.slice(0, LISTED).map(each => ({ says: wordsOf(each, digest), url: base_url + pathOf(each) }));
  const more = of.length - lines.length;
  const first = lines[0]?.says ?? '';
  return {
    subject: of.length === 1 ? `${first} in ${organization}` : `${of.length} updates in ${organization}`,
    lines: more > 0 ? [...lines, { says: `${more} more`, url: `${base_url}/incidents` }] : lines,
  };
}

/** The message as a mail. The same notifications get the same `message_id`. */
export function notificationMail(told: Told & { to: string }): Mail & { message_id: string } {
  const { to, base_url, of } = told;
  const { subject, lines } = messageOf(told);
  const settings = `${base_url}/account`;
  return {
    to,
    subject,
    message_id: createHash('sha256')
      .update(JSON.stringify(of.map(({ kind, subject_id, entry_id }) => [to, kind, subject_id, entry_id])))
      .digest('hex')
      .slice(0, 40),
    text: `${lines.map(({ says, url }) => `${says}\n${url}\n`).join('\n')}\nChange what you are notified of: ${settings}\n`,
    html: documentText(html`<html lang="en"><body style="font-family: sans-serif">
      ${lines.map(({ says, url }) => html`<p>${says}<br /><a href=${url}>${url}</a></p>`)}
      <p><a href=${settings}>Change what you are notified of</a></p>
    </body></html>`),
  };
}

/** The message as the body of a Slack-compatible incoming webhook. */
export function notificationMessage(told: Told): { text: string } {
  const { subject, lines } = messageOf(told);
  return { text: [`*${escaped(subject)}*`, ...lines.map(({ says, url }) => `• <${url}|${escaped(says)}>`)].join('\n') };
}

const TEST = 'This is a test. Notifications from Agent Payment Oversight arrive here.';

/** A mail that a member has asked for, to see whether mails arrive. */
export const testMail = ({ to, id, base_url }: { to: string; id: string; base_url: string }) => ({
  to,
  subject: 'Test notification',
  message_id: createHash('sha256').update(id).digest('hex').slice(0, 40),
  text: `${TEST}\n\nChange what you are notified of: ${base_url}/account\n`,
  html: documentText(html`<html lang="en"><body style="font-family: sans-serif">
      <p>${TEST}</p>
      <p><a href=${`${base_url}/account`}>Change what you are notified of</a></p>
    </body></html>`),
});

/** The same as the body of a Slack-compatible incoming webhook. */
export const testMessage = { text: TEST };

/** As Slack asks for it in text. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function wordsOf({ kind, severity, subject_id }: Notification, digest: Digest | null): string {
  if (kind === 'incident') return `New ${severity ?? ''} incident`;
  if (kind === 'digest') return digest ? digestWords(digest) : 'Daily summary';
  if (kind === 'mention') return 'You were mentioned in a case';
  return `${isOfIncident(subject_id) ? 'Incident' : 'Case'} assigned to you`;
}

const pathOf = ({ kind, subject_id }: Notification): string =>
  kind === 'digest' ? '/incidents' : `/${isOfIncident(subject_id) ? 'incidents' : 'cases'}/${subject_id}`;

const isOfIncident = (subject_id: string): boolean => subject_id.startsWith('inc_');
