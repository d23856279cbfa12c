import type { ExecutionContext } from 'ava';
import { createClient, type Reply } from './client.ts';

/**
 * A browser: keeps the cookies it is given, and sends them with its own Origin. Any two have nothing in common. `cookies` are its
 * own, by name.
 */
export function browser(t: ExecutionContext, address: string, cookies = new Map<string, string>()) {
  const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const sent = {
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(cookies.size > 0 && { cookie: [...cookies].map(pair => pair.join('=')).join('; ') }),
        ...(method !== 'GET' && { origin: address }),
        ...more,
      },
    };
    const reply = more['accept']
      ? await page(method, path, sent)
      : await createClient(t, address).send(method, path, sent);
    keep(reply);
    return reply;
  };
  /** An answer to somebody who reads HTML: also what went wrong is a page. */
  async function page(method: string, path: string, sent: RequestInit): Promise<Reply> {
    const { status, headers, text } = await fetch(address + path, { method, redirect: 'manual', ...sent }).then(
      async response => ({ status: response.status, headers: response.headers, text: await response.text() }),
    );
    if (status !== 303) t.is(headers.get('content-type'), 'text/html; charset=utf-8', `${method} ${path}`);
    return { status, headers, body: text };
  }
  function keep({ headers }: Reply) {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0;/.test(`${line};`)) cookies.delete(name);
      else cookies.set(name, value);
    }
  }
  return {
    address,
    cookies,
    get: (path: string, more?: Record<string, string>) => send('GET', path, undefined, more),
    post: (path: string, body?: unknown, more?: Record<string, string>) => send('POST', path, body, more),
    put: (path: string, body: unknown) => send('PUT', path, body),
    delete: (path: string) => send('DELETE', path),
  };
}

export type Browser = ReturnType<typeof browser>;
