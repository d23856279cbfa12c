import { parse } from 'tldts';

/**
 * The form under which a list's web address is indexed: its host, which covers its subdomains. On hosts shared by many (`facebook.com/…`,
 * `t.me/…`) the path tells whose page it is. Empty for an invalid address.
 */
export function webAddressToStore(value: string): string[] {
  const address = readAddress(value);
  if (!address) return [];
  const { host, path } = address;
  if (!isShared(host)) return [`domain ${host}`];
  return path.length > 0 && !(path.length === 1 && everybodys.has(path[0] ?? ''))
    ? [`page ${host}/${path.join('/')}`]
    : [];
}

/** The forms under which a web address is searched: its host and the domains above it, down to the registered one; and its pages. */
export function webAddressToFind(value: string): string[] {
  const address = readAddress(value);
  if (!address) return [];
  const { host, path, registered } = address;
  const forms: string[] = [];
  for (let part = host; part.length >= registered.length; part = part.slice(part.indexOf('.') + 1)) {
    forms.push(`domain ${part}`);
    if (!part.includes('.')) break;
  }
  for (let depth = Math.min(path.length, DEEPEST); depth > 0; depth -= 1)
    forms.push(`page ${host}/${path.slice(0, depth).join('/')}`);
  return forms;
}

// Path segments that everyone's pages have: the next one tells whose page it is.
const everybodys = new Set('in company watch profile.php channel user c groups pages people p s store'.split(' '));

const DEEPEST = 5;
const LONGEST = 8_192;

function readAddress(value: string): { host: string; path: string[]; registered: string } | null {
  const text = value.trim().replace(/[.,;]+$/, '');
  if (text.length > LONGEST || /\s/.test(text) || /^[^/@]+@[^/@]+$/.test(text)) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:[\\/]{2}/i.test(text) ? text : `https://${text}`);
  if (!url || !/^(?:https?|wss?|ftp):$/.test(url.protocol)) return null;
  const whole = url.hostname.replace(/\.+$/, '').replace(/^(?:www\d?|\*)\./, '');
  const host = twinHosts[whole] ?? whole;
  // A name registered under a shared suffix (`name.blogspot.com`) counts as a domain of its own.
  const { domain, isIp } = parse(host, { allowPrivateDomains: true, validateHostname: false });
  if (isIp) return isWrittenAsIp.test(text) ? { host, path: pathOf(url), registered: host } : null;
  if (domain === null || !/^[a-z0-9._-]+$/.test(host)) return null;
  return { host, path: pathOf(url), registered: domain };
}

/** A URL reads any number as an IPv4 address (`2130706433`): only one written as an address counts. */
const isWrittenAsIp = /(?:^|[/@])(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?=[:/?#]|$)/i;

/** The lower-case parts of a path, and the query parameters that identify the page. */
function pathOf({ pathname, searchParams }: URL): string[] {
  const parts = decode(pathname.toLowerCase())
    .split('/')
    .filter(part => part !== '');
  const page = pageParameters.flatMap(name => searchParams.get(name) ?? []);
  return page.length > 0 ? [...parts, `?${page.join('&')}`] : parts;
}

const pageParameters = ['id', 'v', 'list'];

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

// Other names of the same host.
const twinHosts: Record<string, string> = {
  'm.facebook.com': 'facebook.com',
  'fb.com': 'facebook.com',
  'mobile.twitter.com': 'twitter.com',
  'x.com': 'twitter.com',
  'telegram.me': 't.me',
  'm.youtube.com': 'youtube.com',
  'm.vk.com': 'vk.com',
  'vkontakte.ru': 'vk.com',
};

const isShared = (host: string) =>
  sharedHosts.has(host) || sharedHosts.has(host.replace(/^(?:m|mobile|[a-z]{2}(?:-[a-z]{2})?)\./, ''));

// Hosts whose pages belong to their authors.
const sharedHosts = new Set(
  `facebook.com fb.com instagram.com twitter.com x.com youtube.com youtu.be t.me telegram.me telegram.org vk.com vkontakte.ru ok.ru
   linkedin.com tiktok.com threads.net reddit.com pinterest.com tumblr.com flickr.com medium.com substack.com livejournal.com wordpress.com
   blogspot.com blogger.com github.com gitlab.com sites.google.com docs.google.com drive.google.com plus.google.com google.com archive.org
   soundcloud.com vimeo.com dailymotion.com twitch.tv discord.gg discord.com whatsapp.com wa.me weibo.com wechat.com weixin.qq.com qq.com
   alibaba.com made-in-china.com amazon.com ebay.com etsy.com aliexpress.com patreon.com gofundme.com paypal.com paypal.me cash.app
   wixsite.com weebly.com narod.ru ucoz.ru rutube.ru dzen.ru gab.com rumble.com parler.com bit.ly linktr.ee wikipedia.org yandex.ru
   baidu.com play.google.com apps.apple.com naver.com kakao.com line.me zalo.me trustpilot.com crunchbase.com bloomberg.com`.split(
    /\s+/,
  ),
);
