import { writeFileSync } from 'node:fs';
import { generateSource } from 'oazapfts';

/** The text of a typed client of the API, made from api/openapi.json: a function for each operation id. */
export const generateClient = () =>
  generateSource('api/openapi.json', {
    argumentStyle: 'object',
    useUnknown: true,
    mergeReadWriteOnly: true,
    futureStripLegacyMethods: true,
  });

if (import.meta.main) writeFileSync(new URL('generated.ts', import.meta.url), await generateClient());
