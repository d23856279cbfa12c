import type { Context } from 'koa';
import { pagePolicy, shortPage } from '#api/pages/page.ts';
import { type DatabaseTrouble, troubleOfDatabase } from '#shared/platform/db.ts';
import { asError, Problem, unavailable } from '#shared/interface/errors.ts';
import { LogFault } from '#shared/ledger/tiles.ts';
import { html } from '#shared/platform/html.ts';
import { StorageFault } from '#shared/platform/storage/storage.ts';

/**
 * Writes an error out as `{error: {code, message, details?}, request_id}` with the headers that belong to it; for whoever asks for HTML, as
 * a page.
 */
export function writeProblem(ctx: Context, problem: Problem, request_id: string): void {
  const { code, message, details, status, headers } = problem;
  ctx.status = status;
  ctx.set(headers);
  ctx.set('Cache-Control', 'no-store');
  ctx.vary('Accept');
  // JSON for whoever does not say what they read.
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.set({ 'Content-Security-Policy': pagePolicy, 'X-Robots-Tag': 'noindex' });
    ctx.type = 'html';
    const { title, way_on } = problem.page ?? {
      title: status === 404 ? 'Page not found' : 'Something went wrong',
      way_on: { path: '/', text: 'Go to the dashboard' },
    };
    ctx.body = shortPage(
      title,
      html`<p>${message}</p>${way_on && html`<p><a href=${way_on.path}>${way_on.text}</a></p>`}<p class="quiet">Request ID: <code>${request_id}</code></p>`,
    );
    return;
  }
  ctx.body = { error: { code, message, ...(details && { details }) }, request_id };
}

/**
 * What a caller is told of any thrown thing: our own problems as they are, trouble of the database, lost storage and a damaged log as 503,
 * everything else as 500.
 */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  const trouble = troubleOfDatabase(asError(thrown));
  if (trouble) return unavailable(troubles[trouble]);
  if (thrown instanceof StorageFault) return unavailable('The file cannot be read at the moment. Try again.');
  if (thrown instanceof LogFault)
    return unavailable('The log is not what was signed; the operator can say where, with `admin log verify`.');
  return new Problem('internal', 'Something went wrong on our side. The request id finds it in the log.');
}

const troubles: Record<DatabaseTrouble, string> = {
  lost: 'The service cannot reach its database at the moment. Try again.',
  full: 'The database has no room at the moment. Try again.',
  read_only: 'The database takes no changes at the moment. Try again.',
  slow: 'The database takes too long at the moment. Try again.',
};
