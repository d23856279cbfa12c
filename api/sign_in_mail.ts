import { html } from '#shared/platform/html.ts';
import { mailButton, mailDocument, mailNote } from '#shared/platform/mail_document.ts';
import type { Mail } from '#shared/platform/mail.ts';

/** The mail that brings a sign-in link. Of the request it says only what nobody can put words into. */
export function signInMail({ to, url, host, user_agent, at }: SignInLink): Mail {
  const origin = `Requested from ${browserOf(user_agent)} at ${at.slice(0, 16).replace('T', ' ')} UTC.`;
  const rules = 'The link works once, for ten minutes.';
  const ignore =
    'If this wasn’t you, ignore this email: no one can sign in without it. Never share the link or the code it shows.';
  return {
    to,
    subject: `Sign in to Agent Payment Oversight at ${host}`,
    text: `Sign in to Agent Payment Oversight at ${host}:\n\n${url}\n\n${rules} ${origin}\n\n${ignore}\n`,
    html: mailDocument([
      html`<p>Sign in to Agent Payment Oversight at ${host}:</p>`,
      mailButton(url, 'Sign in'),
      html`<p><a href=${url}>${url}</a></p>`,
      html`<p>${rules} ${origin}</p>`,
      mailNote(ignore),
    ]),
  };
}

type SignInLink = { to: string; url: string; host: string; user_agent: string | undefined; at: string };

/** `Firefox on Windows`. A User-Agent is whatever its sender likes, so it is never quoted. */
function browserOf(user_agent = ''): string {
  const nameIn = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(user_agent))?.[1];
  return `${nameIn(browsers) ?? 'a browser'} on ${nameIn(systems) ?? 'an unknown system'}`;
}

// In this order: the later ones are also named by the earlier.
const browsers = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const systems = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;
