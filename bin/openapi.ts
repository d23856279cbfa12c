import { writeFileSync } from 'node:fs';
import { openApiDocument } from '#api/openapi.ts';
import { routes } from '#api/routes/index.ts';

// Writes api/openapi.json from the routes, so that a change of the interface shows in the diff.
const document = openApiDocument(routes, 'http://127.0.0.1:3000');
writeFileSync(new URL('../api/openapi.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
