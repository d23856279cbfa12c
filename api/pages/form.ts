import type { Context } from 'koa';
import { readRawBody } from '#api/json_body.ts';
import type { ApiServices } from '#api/services.ts';
import { unsupportedMediaType } from '#shared/interface/errors.ts';

const NOBODY = '';

/** Reads the fields of a form sent by one of our pages (application/x-www-form-urlencoded), within the limits for anonymous bodies. */
export async function readForm(ctx: Context, { pressure, bounds }: ApiServices): Promise<Record<string, string>> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw unsupportedMediaType('Send the form as application/x-www-form-urlencoded.');
  const [body, turn] = [pressure.beginBody(NOBODY), pressure.turnOf(NOBODY)];
  try {
    const reading = { body, turn, bounds: { most: bounds.stranger_body, patience: bounds.stranger_patience } };
    return Object.fromEntries(new URLSearchParams((await readRawBody(ctx, reading)).toString('utf8')));
  } finally {
    turn.end();
    body.release();
  }
}
