import type { ExecutionContext } from 'ava';
import { type AnswerOf, type ArgsOf, type BodyOf, call, type Operation } from '#api/client/call.ts';
import { checkPromise } from '#test/helpers/client.ts';
import { event, type EventOptions } from '#test/helpers/make.ts';
import type { World } from '#test/helpers/world.ts';

/** Calls the API with a key. */
export const through = (t: ExecutionContext, { api, full }: World, key: string = full.key) =>
  caller(t, api.address, { Authorization: `Bearer ${key}` });

/** Calls the API in a session; from the site itself, as a browser says. */
export const signedIn = (t: ExecutionContext, { api }: World, { cookie }: { cookie: string }) =>
  caller(t, api.address, { Cookie: cookie, Origin: api.address });

/**
 * Calls the API as its routes type it, with these headers. Each answer is held against what its route promises. Answers the answer of
 * the status that is expected; throws when it has another.
 */
export const caller =
  (t: ExecutionContext, address: string, shown: Record<string, string>) =>
  async <O extends Operation, S extends AnswerOf<O>['status']>(
    status: S,
    operation: O,
    args: ArgsOf<O>,
    headers: Record<string, string> = {},
  ): Promise<Extract<AnswerOf<O>, { status: S }>> => {
    const answer = await call(operation, args, { address, headers: { ...shown, ...headers } });
    const [method = '', path = ''] = operation.split(' ');
    checkPromise(t, method, path, answer);
    if (answer.status !== status) throw new Error(`answered ${JSON.stringify(answer)}`);
    return answer as Extract<AnswerOf<O>, { status: S }>;
  };

/** An event as the API takes it alone. */
export const input = (options?: EventOptions) => event(options) as SentEvent;

export type SentEvent = Extract<BodyOf<'POST /v1/events'>, { id: string }>;
