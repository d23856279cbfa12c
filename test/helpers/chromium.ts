import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ExecutionContext } from 'ava';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import avaTest from 'ava';
import { PATIENCE, until } from './until.ts';

const url = process.env['TEST_BROWSER'];

/** A test in a real browser: skipped where there is none on the PATH (see test/run.ts). */
export const browserTest = url ? avaTest : avaTest.skip;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export const phone = { width: 360, height: 740 };
export const desktop = { width: 1280, height: 860 };

let connected: Promise<Browser> | undefined;
avaTest.after.always(async () => (await connected)?.close());

type Options = {
  /** A session, as `name=value`. */
  cookie?: string;
  viewport?: { width: number; height: number };
  dark?: boolean;
  /** For pages that ask by HTTP Basic. */
  httpCredentials?: { username: string; password: string };
};

/**
 * A window of a browser that shares nothing with others. When the test ends it must have reported no error on its console, and asked
 * nothing of another host. An answer that refuses what was asked is no error where the test `expects` its status.
 */
export async function openWindow(
  t: ExecutionContext,
  address: string,
  { cookie, viewport = desktop, dark, httpCredentials }: Options = {},
) {
  connected ??= chromium.connect(url ?? '');
  const browser = await connected;
  const context = await browser.newContext({
    baseURL: address,
    viewport,
    colorScheme: dark ? 'dark' : 'light',
    ...(httpCredentials && { httpCredentials }),
    locale: 'en-US',
    timezoneId: 'Europe/Zurich',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  t.teardown(() => context.close());
  context.setDefaultTimeout(PATIENCE);
  if (cookie) {
    const [name = '', value = ''] = cookie.split(/=(.*)/);
    await context.addCookies([{ name, value, url: address }]);
  }
  const faults: string[] = [];
  let underWay = 0;
  const expected = new Set<number>();
  context.on('page', page => {
    page.on('pageerror', error => faults.push(error.message));
    page.on('console', message => {
      const status = Number(/status of (\d+)/.exec(message.text())?.[1]);
      if (message.type() === 'error' && !expected.has(status)) faults.push(message.text());
    });
    page.on('requestfinished', () => (underWay -= 1));
    page.on('requestfailed', () => (underWay -= 1));
    page.on('request', request => {
      underWay += 1;
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.host !== new URL(address).host) faults.push(`asked ${url.href}`);
    });
  });
  const page = await context.newPage();
  const settled = () => until(async () => underWay === 0 && (await page.locator('.loading').count()) === 0);
  return {
    context,
    page,
    /** Waits until the page has all that it asks for. */
    settled,
    /** Statuses that refuse, and are what the test is after. */
    expects: (...statuses: number[]) => statuses.forEach(status => expected.add(status)),
    /** Goes to a page, and waits until it has all that it asks for. */
    async visit(path: string) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settled();
    },
    /** Fails where the page is not accessible (axe; or by these rules of it), or is wider than the window. */
    check: (name: string, only: readonly string[] = rules) => check(t, page, name, only),
    /** Fails where the browser complained of something, or asked another host. */
    quiet: () => t.deepEqual(faults, []),
  };
}

type Finding = { id: string; nodes: { target: string[]; failureSummary?: string }[] };

async function check(t: ExecutionContext, page: Page, name: string, only: readonly string[]): Promise<void> {
  // Colors that are on their way are not those to be seen.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter(each => each instanceof CSSTransition).map(each => each.finished))',
  );
  // The debugging protocol is not held up by a Content-Security-Policy.
  if (await page.evaluate('!window.axe')) await page.evaluate(axe);
  const options = { runOnly: only, resultTypes: ['violations'] };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: Finding[];
  };
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
  );
  t.deepEqual(found, [], name);
  const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  t.true((wider as number) <= 0, `${name} is ${String(wider)} px wider than the window`);
}
