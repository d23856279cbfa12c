import { domainToASCII } from 'node:url';
import { parse } from 'tldts';

/**
 * What a web address of a list stands under: its host, which then stands for its subdomains too. On hosts that many people share
 * (`facebook.com/…`, `t.me/…`) it takes the path to say whose page it is. Empty where the value is no web address.
 */
export function webAddressToStore(value: string): string[] {
  const address = readAddress(value);
  if (!address) return [];
  const { host, path } = address;
  if (!isShared(host)) return [`domain ${host}`];
  return path.length > 0 ? [`page ${host}/${path.join('/')}`] : [];
}

/** Under what a web address is looked for: its host and what that is a subdomain of, down to the domain that was registered; and its pages. */
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

const DEEPEST = 5;
const LONGEST = 2_000;

function readAddress(value: string): { host: string; path: string[]; registered: string } | null {
  const text = value.trim().toLowerCase();
  if (text.length > LONGEST || text.includes('@') || /\s/.test(text)) return null;
  const [, authority = '', rest = ''] = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?([^/?#:]+)(?::\d+)?([^?#]*)/.exec(text) ?? [];
  const host = domainToASCII(authority.replace(/\.+$/, '')).replace(/^www\d?\./, '');
  // What is registered under a suffix that people share (`name.blogspot.com`) counts as a domain of its own.
  const { domain, isIp } = parse(host, { allowPrivateDomains: true });
  if (isIp || domain === null || !/^[a-z0-9.-]+$/.test(host)) return null;
  return { host, path: rest.split('/').filter(part => part !== ''), registered: domain };
}

const isShared = (host: string) =>
  sharedHosts.has(host) || sharedHosts.has(host.replace(/^(?:m|mobile|[a-z]{2}(?:-[a-z]{2})?)\./, ''));

// Where a page belongs to whoever made it and not to the host.
const sharedHosts = new Set(
  `facebook.com fb.com instagram.com twitter.com x.com youtube.com youtu.be t.me telegram.me telegram.org vk.com vkontakte.ru ok.ru
   linkedin.com tiktok.com threads.net reddit.com pinterest.com tumblr.com flickr.com medium.com substack.com livejournal.com wordpress.com
   blogspot.com blogger.com github.com gitlab.com sites.google.com docs.google.com drive.google.com plus.google.com google.com archive.org
   soundcloud.com vimeo.com dailymotion.com twitch.tv discord.gg discord.com whatsapp.com wa.me weibo.com wechat.com weixin.qq.com qq.com
   alibaba.com made-in-china.com amazon.com ebay.com etsy.com aliexpress.com patreon.com gofundme.com paypal.com paypal.me cash.app
   wixsite.com weebly.com narod.ru ucoz.ru rutube.ru dzen.ru gab.com rumble.com parler.com bit.ly linktr.ee wikipedia.org yandex.ru
   baidu.com naver.com kakao.com line.me zalo.me trustpilot.com crunchbase.com bloomberg.com`.split(/\s+/),
);
