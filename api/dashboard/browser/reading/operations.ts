import { type ArgsOf, call, type DataOf, type Operation } from '#api/client/call.ts';
import { Problem } from './problem.ts';

/** A service that is there answers long before; one that holds the connection and says nothing is away. */
const LONGEST_ANSWER = 15_000;
/** Reading a long log, or screening, takes its time. */
const LONGEST_CHANGE = 60_000;

/** Asks with the ETag of what is known. Answers null when that still holds; throws Problem. */
export async function ask<O extends Operation>(
  operation: O,
  args: ArgsOf<O>,
  tag: string | null,
): Promise<{ data: DataOf<O>; tag: string | null } | null> {
  const { status, headers, body } = await call(operation, args, {
    cache: 'no-store',
    signal: AbortSignal.timeout(LONGEST_ANSWER),
    ...(tag !== null && { headers: { 'If-None-Match': tag } }),
  });
  if (status === 304) return null;
  return { data: dataOf<O>(status, body, headers), tag: headers.get('ETag') };
}

/**
 * Changes something. Throws Problem. A POST is named by `idempotency_key`, so that a repetition under the same one, by the network or by
 * hand, changes nothing twice. `keepalive`: it is sent even where the page is being left.
 */
export async function change<O extends Operation>(
  operation: O,
  args: ArgsOf<O>,
  idempotency_key: string = crypto.randomUUID(),
  { keepalive = false } = {},
): Promise<DataOf<O>> {
  const { status, headers, body } = await call(operation, args, {
    cache: 'no-store',
    keepalive,
    signal: AbortSignal.timeout(LONGEST_CHANGE),
    ...(operation.startsWith('POST') && { headers: { 'Idempotency-Key': idempotency_key } }),
  });
  return dataOf<O>(status, body, headers);
}

function dataOf<O extends Operation>(status: number, body: unknown, headers: Headers): DataOf<O> {
  if (status < 200 || status >= 300) throw new Problem(status, body, headers);
  // The answer broke off in the middle.
  if (body === null) throw new Problem(0, null);
  return body as DataOf<O>;
}
