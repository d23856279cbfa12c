import type { RequestOpts } from '@oazapfts/runtime';
import { defaults } from '#api/client/generated.ts';
import { Problem } from './problem.ts';

type Answered = { status: number; data?: unknown; headers?: Headers };

/** A function of the generated client. */
export type Operation = (args: never, options?: RequestOpts) => Promise<Answered>;

/** What an operation takes, beside the ETag that the store adds. */
export type ArgsOf<O extends Operation> = Parameters<O>[0] extends infer A
  ? A extends RequestOpts | undefined
    ? Record<string, never>
    : Omit<A, 'ifNoneMatch' | 'idempotencyKey'>
  : never;

type Success = { status: 200 | 201 | 202 };
/** What an operation answers when it does what it was asked. */
export type DataOf<O extends Operation> =
  Extract<Awaited<ReturnType<O>>, Success> extends { data: infer D } ? D : never;

// The page and the API have one origin, and the cookie goes along.
defaults.baseUrl = '';

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
  const signal = AbortSignal.timeout(LONGEST_ANSWER);
  const answered = await operation({ ...args, ifNoneMatch: tag ?? undefined } as never, { cache: 'no-store', signal });
  if (answered.status === 304) return null;
  // The client makes nothing of an answer that broke off in the middle.
  if (answered.status === 200 && !answered.data) throw new Problem(0, null);
  return { data: dataOf<O>(answered), tag: answered.headers?.get('ETag') ?? null };
}

/**
 * Changes something. Throws Problem. A POST is named by `idempotencyKey`, so that a repetition under the same one, by the network or by
 * hand, changes nothing twice.
 */
export async function change<O extends Operation>(
  operation: O,
  args: ArgsOf<O>,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<DataOf<O>> {
  const signal = AbortSignal.timeout(LONGEST_CHANGE);
  return dataOf<O>(await operation({ ...args, idempotencyKey } as never, { cache: 'no-store', signal }));
}

function dataOf<O extends Operation>({ status, data, headers }: Answered): DataOf<O> {
  if (status < 200 || status >= 300) throw new Problem(status, data, headers);
  return data as DataOf<O>;
}
