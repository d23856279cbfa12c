/** A part of an OpenAPI document. */
type Json = { [name: string]: unknown };

/**
 * Adds examples to every operation of a finished OpenAPI document: of its body, its parameters, and its successful response. They are
 * composed from the `examples` of schemas and their members; members without one get a fitting value. Changes the document.
 */
export function addExamples<D extends object>(document: D): D {
  const root = document as Json;
  const compose = composer(root);
  for (const path of Object.values((root['paths'] ?? {}) as Record<string, Json>))
    for (const operation of Object.values(path) as Json[]) {
      for (const parameter of (operation['parameters'] ?? []) as Json[]) {
        // Parameters of every list are left out of example requests: an invented cursor or ETag means nothing.
        if (meaningless.has(String(parameter['name']))) continue;
        parameter['example'] = compose(parameter['schema'], String(parameter['name']));
      }
      addTo(operation['requestBody'], compose);
      for (const [status, answer] of Object.entries((operation['responses'] ?? {}) as Json))
        if (status.startsWith('2')) addTo(answer, compose);
    }
  return document;
}

const meaningless = new Set(['cursor', 'If-None-Match', 'Idempotency-Key']);

function addTo(holder: unknown, compose: Compose): void {
  const [content] = Object.entries(((holder as Json | undefined)?.['content'] ?? {}) as Record<string, Json>);
  if (!content) return;
  const [media_type, media] = content;
  if (media_type === 'application/json') media['example'] = compose(media['schema'], '');
}

type Compose = (schema: unknown, name: string) => unknown;

/** How deeply self-referencing schemas are expanded. */
const DEEPEST = 8;

/** Composes a value for a schema of this document; `name` is the member it is for. */
function composer(root: Json): Compose {
  const follow = (schema: Json): Json => {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    const target = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, step) => (value as Json)[step], root);
    return follow(target as Json);
  };
  const compose = (node: unknown, name: string, depth: number): unknown => {
    const schema = follow(node as Json);
    const [example] = (schema['examples'] ?? []) as unknown[];
    if (example !== undefined) return example;
    if (Object.hasOwn(schema, 'const')) return schema['const'];
    if (Array.isArray(schema['enum'])) return schema['enum'][0];
    if (schema['default'] !== undefined) return schema['default'];
    const branches = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
    if (branches) {
      const branch = branches.find(each => follow(each)['type'] !== 'null') ?? {};
      const { anyOf: _, oneOf: __, ...common } = schema;
      const value = compose(branch, name, depth);
      return isObject(value) && common['properties'] ? { ...(compose(common, name, depth) as Json), ...value } : value;
    }
    const type = Array.isArray(schema['type'])
      ? schema['type'].find(each => each !== 'null')
      : (schema['type'] ?? (schema['properties'] ? 'object' : undefined));
    if (name === 'next_cursor') return null;
    if (type === 'object') return objectOf(schema, depth);
    if (type === 'array') return depth > DEEPEST ? [] : [compose(schema['items'] ?? {}, name, depth + 1)];
    if (type === 'integer' || type === 'number')
      return Math.max(Number(schema['minimum'] ?? 1), 1 > Number(schema['maximum'] ?? 1) ? 0 : 1);
    if (type === 'boolean') return true;
    return type === 'string' ? textOf(schema, name) : {};
  };
  const objectOf = (schema: Json, depth: number): Json => {
    const members = Object.entries((schema['properties'] ?? {}) as Json);
    const required = new Set((schema['required'] ?? []) as string[]);
    const free = schema['additionalProperties'];
    if (members.length === 0 && isObject(free) && Object.keys(free).length > 0) {
      const key = compose(schema['propertyNames'] ?? { type: 'string' }, 'key', depth + 1);
      return { [String(key)]: compose(free, '', depth + 1) };
    }
    return Object.fromEntries(
      members
        .filter(([name]) => depth < DEEPEST || required.has(name))
        .map(([name, member]) => [name, compose(member, name, depth + 1)]),
    );
  };
  return (schema, name) => compose(schema, name, 0);
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text that fits a schema: a usual one for this member's name, else the first that matches its pattern. */
function textOf({ pattern, format, minLength = 0, maxLength = Infinity }: Json, name: string): string {
  if (format === 'date-time') return '2026-11-20T09:43:37.123Z';
  if (format === 'date') return '2026-11-20';
  if (format === 'uri') return 'https://api.example.com/v1/weather';
  const fits = (text: string) =>
    (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)) &&
    text.length >= Number(minLength) &&
    text.length <= Number(maxLength);
  const usual =
    examples_by_name[name] ??
    (name.endsWith('_id') ? 'id-1' : /hash|sha256|digest|leaf|root/.test(name) ? HASH : undefined);
  const text = [
    usual,
    /usd_micro/.test(name) ? '12500000' : undefined,
    /usd_minor|amount/.test(name) ? '1250' : undefined,
    ...usually,
  ].find(each => each !== undefined && fits(each));
  if (text === undefined) throw new Error(`no example fits ${name}, ${String(pattern)}: give the schema one`);
  return text;
}

const HASH = '3b1f3a7c5a0d4f0e9a6d1c2b3a4958677685940312233445566778899aabbccd';

/** Usual values of members by name, for schemas without an example. */
const examples_by_name: Record<string, string> = {
  name: 'Procurement agent',
  title: 'Eleven payments within a minute',
  explanation: 'The agent made eleven payments within a minute; it usually makes two.',
  email: 'ada@example.com',
  external_id: 'buyer-1',
  payment_id: 'order-1042',
  key: 'domain:api.example.com',
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  network: 'eip155:8453',
  country: 'US',
  currency: 'USD',
  code: 'invalid_request',
  message: 'What was wrong, and what would be right.',
  url: 'https://hooks.example.com/in',
  website: 'https://api.example.com',
  domain: 'api.example.com',
  q: 'weather',
  ip: '192.0.2.10',
  kid: 'key-1',
  alg: 'ES256',
  list: 'fictional',
  detector: 'velocity_count',
  version: '1',
};

/** Texts of usual forms, plainest first. */
const usually = [
  'text',
  '1250',
  '4242',
  '09:00',
  'acme.note',
  'application/json',
  'c2ln',
  'eyJhbGciOiJFUzI1NiJ9..c2ln',
  'US',
  HASH,
];
