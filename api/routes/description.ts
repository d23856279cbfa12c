import { z } from 'zod';
import { openApiDocument } from '#api/openapi.ts';
import { type Route, route } from '#api/route.ts';

/** The endpoint that describes all endpoints, including itself. */
export function description(routes: () => Route[]) {
  // A process has one configuration, and so one document; tests have several.
  const documents = new WeakMap<object, ReturnType<typeof openApiDocument>>();
  return [
    route({
      method: 'get',
      path: '/v1/openapi.json',
      operation_id: 'getDescription',
      tag: 'Description',
      summary: 'Read this description of the interface (OpenAPI 3.1)',
      access: 'public',
      version: { of: 'answer' },
      responses: [[200, 'The OpenAPI document', z.record(z.string(), z.unknown())]],
      handle: async (_input, { config }) => {
        const document = documents.get(config) ?? openApiDocument(routes(), config.base_url);
        documents.set(config, document);
        return document;
      },
    }),
  ];
}
