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

/** Asks with the ETag of what is known. Answers null when that still holds; throws Problem. */
export async function ask<O extends Operation>(
  operation: O,
  args: ArgsOf<O>,
  tag: string | null,
): Promise<{ data: DataOf<O>; tag: string | null } | null> {
  const answered = await operation({ ...args, ifNoneMatch: tag ?? undefined } as never, { cache: 'no-store' });
  if (answered.status === 304) return null;
  return { data: dataOf<O>(answered), tag: answered.headers?.get('ETag') ?? null };
}

/** Changes something. Throws Problem. A POST is named by a key of its own, so that a repetition by the network changes nothing twice. */
export async function change<O extends Operation>(operation: O, args: ArgsOf<O>): Promise<DataOf<O>> {
  return dataOf<O>(await operation({ ...args, idempotencyKey: crypto.randomUUID() } as never, { cache: 'no-store' }));
}

function dataOf<O extends Operation>({ status, data, headers }: Answered): DataOf<O> {
  if (status < 200 || status >= 300) throw new Problem(status, data, headers);
  return data as DataOf<O>;
}
