import { createHash } from 'node:crypto';
import { html } from '#shared/platform/html.ts';
import { mailDocument, mailNote } from '#shared/platform/mail_document.ts';
import type { Mail } from '#shared/platform/mail.ts';
import { type Digest, digestWords } from './digest.ts';
import type { Notification } from './notifications.ts';

/** The most entries in one message. */
const LISTED = 20;
/** More new incidents of one severity than this are told in one line. */
const MOST_ALIKE = 3;

type Told = { organization: string; base_url: string; of: readonly Notification[]; digest: Digest | null };

/**
 * The message that notifies a member: each event in a line with its link. It contains no payee, amount or person, and no title, which
 * might.
 */
function messageOf({ organization, base_url, of, digest }: Told) {
  const all = [...Map.groupBy(of, each => wordsOf(each, digest))].flatMap(([says, alike]) =>
    linesOf(says, alike).map(line => ({ says: line.says, url: base_url + line.path })),
  );
  const lines = all.slice(0, LISTED);
  const more = all.length - lines.length;
  const first = lines[0]?.says ?? '';
  return {
    subject: all.length === 1 ? `${first} in ${organization}` : `${of.length} updates in ${organization}`,
    lines: more > 0 ? [...lines, { says: `${more} more`, url: `${base_url}/incidents` }] : lines,
  };
}

/** A line each, or one for the list of many incidents of one severity. */
function linesOf(says: string, alike: readonly Notification[]): { says: string; path: string }[] {
  const [first] = alike;
  if (first?.kind !== 'incident' || alike.length <= MOST_ALIKE)
    return alike.map(each => ({ says, path: pathOf(each) }));
  const severity = first.severity ?? '';
  return [{ says: `${alike.length} new ${severity} incidents`, path: `/incidents?severity=${severity}` }];
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
    html: mailDocument([
      ...lines.map(({ says, url }) => html`<p><a href=${url}>${says}</a></p>`),
      settingsNote(base_url),
    ]),
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
  html: mailDocument([html`<p>${TEST}</p>`, settingsNote(base_url)]),
});

const settingsNote = (base_url: string) =>
  mailNote(html`<a href=${`${base_url}/account`}>Change what you are notified of</a>`);

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
