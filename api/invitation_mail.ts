import { documentText, html } from '#shared/platform/html.ts';
import type { Mail } from '#shared/platform/mail.ts';

/** The mail that tells a new member where to sign in. It contains no token: they sign in with their address. */
export function invitationMail({ to, url, by, organization }: Invitation): Mail {
  const invited = `${by} invited you to ${organization} on Agent Payment Oversight.`;
  const how = `Sign in with your email address, ${to}:`;
  const ignore = 'If you don’t know the sender, ignore this email.';
  return {
    to,
    subject: `Invitation to ${organization} on Agent Payment Oversight`,
    text: `${invited}\n\n${how}\n\n${url}\n\n${ignore}\n`,
    html: documentText(html`<html lang="en"><body style="font-family: sans-serif">
      <p>${invited}</p>
      <p>${how}</p>
      <p><a href=${url}>${url}</a></p>
      <p>${ignore}</p>
    </body></html>`),
  };
}

type Invitation = { to: string; url: string; by: string; organization: string };
