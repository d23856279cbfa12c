import { readFileSync } from 'node:fs';
import test from 'ava';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const source = readFileSync('api/openapi.json', 'utf8');

async function findings(document: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: document, absoluteRef: 'api/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}

test('the description of the interface passes the strict rules of Redocly', async t => {
  t.deepEqual(await findings(source), []);
});

test('a fault in the description would be found', async t => {
  const document = JSON.parse(source);
  delete document.paths['/v1/sources'].get.operationId;
  document.components.schemas.Source.type = 'record';
  const found = await findings(JSON.stringify(document));
  // With the schema, the examples of it are wrong too.
  const rules = new Set(found.map(finding => finding.split(' ')[0]));
  t.deepEqual([...rules].toSorted(), ['no-invalid-media-type-examples', 'operation-operationId', 'struct']);
});
