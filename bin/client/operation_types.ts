/** As much of a JSON Schema (2020-12) as the OpenAPI document uses. */
type Schema = {
  $ref?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
};
type Media = Record<string, { schema?: Schema }>;
type Described = {
  summary: string;
  parameters?: { in: string; name: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Media };
  responses: Record<string, { content?: Media }>;
};
export type OpenApi = {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Described>>;
};

/**
 * The types of every endpoint as TypeScript: `Operations`, as `api/client/operations.ts` has them from the routes, and a type of each schema. Our
 * own and not openapi-typescript, which needs the compiler's API: TypeScript 7 has none.
 */
export function operationTypes({ components, paths }: OpenApi): string {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, described]) =>
        `${comment(described.summary)}${JSON.stringify(`${method.toUpperCase()} ${path}`)}: ${operationType(described)};\n`,
    ),
  );
  return `${schemas.join('\n')}\nexport type Operations = {\n${operations.join('')}};\n`;
}

function operationType({ parameters = [], requestBody, responses }: Described): string {
  const answers = Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith('2') ? `{ status: ${status}; body: ${bodyType(content)} }` : [],
  );
  return `{
  params: ${parametersType(parameters.filter(each => each.in === 'path'))};
  query: ${parametersType(parameters.filter(each => each.in === 'query'))};
  body: ${requestBody ? bodyType(requestBody.content) : 'never'};
  answer: ${answers.join(' | ') || 'never'};
}`;
}

function parametersType(parameters: NonNullable<Described['parameters']>): string {
  if (parameters.length === 0) return 'never';
  const members = parameters.map(({ name, required, description, schema }) => {
    const isNumber = schema.type === 'integer' || schema.type === 'number';
    return member(name, required === true, description, isNumber ? 'number | string' : typeOf(schema));
  });
  return `{\n${members.join('')}}`;
}

/** A body that is not JSON is a file. */
function bodyType(content: Media | undefined): string {
  const schema = content?.['application/json']?.schema;
  if (schema) return typeOf(schema);
  return content && Object.keys(content).length > 0 ? 'ArrayBuffer' : 'null';
}

function typeOf(schema: Schema): string {
  const { $ref, type, anyOf, oneOf, items } = schema;
  if ($ref) return $ref.slice($ref.lastIndexOf('/') + 1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map(each => JSON.stringify(each)).join(' | ');
  // Alternatives that say only which members come together are for who validates.
  const alternatives = (anyOf ?? oneOf ?? []).filter(each => !isPresence(each));
  if (alternatives.length > 0) return union(alternatives.map(typeOf));
  if (Array.isArray(type)) return union(type.map(each => typeOf({ ...schema, type: each })));
  if (type === 'array') return `(${items ? typeOf(items) : 'unknown'})[]`;
  if (type === 'object') return objectType(schema);
  if (type === 'integer') return 'number';
  return type ?? 'unknown';
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) =>
    member(name, required.includes(name), schema.description, typeOf(schema)),
  );
  const isOpen = additionalProperties === true || typeof additionalProperties === 'object';
  const rest =
    typeof additionalProperties === 'object' && members.length === 0 ? typeOf(additionalProperties) : 'unknown';
  return `{\n${members.join('')}${isOpen ? `[name: string]: ${rest};\n` : ''}}`;
}

const member = (name: string, required: boolean, description: string | undefined, type: string): string =>
  `${comment(description)}${JSON.stringify(name)}${required ? '' : '?'}: ${type};\n`;

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const comment = (text: string | undefined): string =>
  text ? `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n` : '';

/** Whether a schema says only that members are there. */
const isPresence = ({ properties = {}, required = [], ...more }: Schema): boolean =>
  required.length > 0 && [...Object.keys(more), ...Object.values(properties).flatMap(Object.keys)].length === 0;
