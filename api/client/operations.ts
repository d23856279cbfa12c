import type { routes } from '#api/routes/index.ts';

/**
 * Every endpoint by its method and path: what it takes, and what it returns on success. Here the types come from the routes themselves; the
 * published library has a copy that `npm run build:client` generates from the OpenAPI document.
 */
export type Operations = {
  [R in Route as `${Uppercase<R['method']>} ${R['path']}`]: {
    params: InputOf<R['params']>;
    query: InputOf<R['query']>;
    body: InputOf<R['body']>;
    answer: Promised<R['responses'][number]>;
  };
};

type Route = NonNullable<(typeof routes)[number]['types']>;
type Promised<R> = R extends readonly [infer S, string, { _zod: { output: infer B } }] ? { status: S; body: B } : never;
type InputOf<S> = S extends { _zod: { input: infer I } } ? I : never;
