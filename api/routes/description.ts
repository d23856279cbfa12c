import { z } from 'zod';
import { openApiDocument } from '#api/openapi.ts';
import { type Route, route } from '#api/route.ts';

/** The endpoint that describes all endpoints, itself among them. */
export const description = (routes: () => Route[]) => [
  route({
    method: 'get',
    path: '/v1/openapi.json',
    operation_id: 'getDescription',
    tag: 'Description',
    summary: 'Read this description of the interface (OpenAPI 3.1)',
    access: 'public',
    responses: [[200, 'The OpenAPI document', z.record(z.string(), z.unknown())]],
    handle: async (_input, { config }) => openApiDocument(routes(), config.base_url),
  }),
];
