import type { z } from 'zod';
import type { KeyCaller } from '#api/caller.ts';
import type { ApiServices } from '#api/services.ts';
import type { Scope } from '#shared/resources/api_keys.ts';

/** Who may call: a key with any one of these scopes, or anybody. */
export type Access = Scope[] | 'public';

type Description = {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Path with `{name}` for parameters. */
  path: string;
  operation_id: string;
  summary: string;
  description?: string;
  tag: string;
  /** Answers by status; a plain return value is sent with the first that is listed. */
  responses: [status: number, meaning: string, schema: z.ZodType][];
};

/**
 * An endpoint as a value: mounting, authentication, permission, parsing and the OpenAPI document all read it.
 * The handler gets plain values and returns plain values.
 */
export type Route = Description & {
  access: Access;
  params?: z.ZodObject | undefined;
  query?: z.ZodObject | undefined;
  body?: z.ZodType | undefined;
  /** The handler checks the body itself and answers piece by piece. */
  loose_body?: true | undefined;
  handle: (input: never, services: ApiServices) => Promise<unknown>;
};

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** Declares an endpoint. The types of the handler's input follow from the schemas. */
export function route<
  const A extends Access,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  L extends true | undefined = undefined,
>(
  value: Description & {
    access: A;
    params?: P;
    query?: Q;
    body?: B;
    loose_body?: L;
    handle: (
      input: {
        params: Parsed<P>;
        query: Parsed<Q>;
        body: L extends true ? unknown : Parsed<B>;
        caller: A extends 'public' ? undefined : KeyCaller;
      },
      services: ApiServices,
    ) => Promise<unknown>;
  },
): Route {
  return value;
}

const replyMark = Symbol('reply');

/** A return value that names its own status. */
export type Reply = { [replyMark]: true; status: number; body: unknown };
export const reply = (status: number, body: unknown): Reply => ({ [replyMark]: true, status, body });
export const isReply = (value: unknown): value is Reply =>
  typeof value === 'object' && value !== null && replyMark in value;
