/**
 * An address as operators may see it, without its scheme: host and path, or the host alone where the rest may hold a secret: a user, a
 * query, or a part of the path that is long or mixes letters and digits, such as a token.
 */
export function shownAddress(url: string): string {
  const { host, pathname, search, username, password } = new URL(url);
  const isToken = (part: string) => part.length > 24 || (part.length > 7 && /\d/.test(part) && /[a-z]/i.test(part));
  const mayHoldSecret = search !== '' || username !== '' || password !== '' || pathname.split('/').some(isToken);
  return mayHoldSecret || pathname === '/' ? host : host + pathname;
}
