import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { listening } from './listening.ts';

type Event = { id?: string; agent?: { external_id: string } };
/** What a request is answered with instead; `drop` breaks the connection. */
type Instead = { status: number; headers?: Record<string, string>; body?: unknown } | 'drop';
type Options = {
  /** Decides on the `request`th request for events, from 1; null where it is to be answered as the service does. */
  instead?: (events: Event[], request: number) => Instead | null;
  scopes?: string[];
  log_origin?: string;
};

/** What stands at the end of a client's line where the service itself is too willing: it keeps events by their ids, and fails as it is told. */
export async function fakeIngest(
  t: ExecutionContext,
  { instead = () => null, scopes = ['events:write'], log_origin = 'log.example.com' }: Options = {},
) {
  const stored = new Map<string, string>();
  const batches: Event[][] = [];
  let requests = 0;
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    const text = String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes);
    const answer = (status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    if (request.url === '/v1/me') return answer(200, { kind: 'key', organization: { id: 'org_1' }, scopes });
    if (request.url === '/v1/log') return answer(200, { origin: log_origin });
    let events: Event[];
    try {
      ({ events } = JSON.parse(text) as { events: Event[] });
    } catch {
      requests += 1;
      return answer(400, { error: { code: 'invalid_request', message: 'The body is not valid JSON.' } });
    }
    const other = instead(events, (requests += 1));
    if (other === 'drop') return request.socket.destroy();
    if (other) return answer(other.status, other.body ?? {}, other.headers);
    batches.push(events);
    const results = events.map((event, index) => {
      const { id = '' } = event;
      if (!id) return { index, id: null, status: 'rejected', error: required(index) };
      const before = stored.get(id);
      if (before === undefined) stored.set(id, JSON.stringify(event));
      return { index, id, status: before === undefined ? 'accepted' : 'duplicate' };
    });
    return answer(200, { results });
  });
  const url = `http://127.0.0.1:${await listening(t, server)}`;
  return { url, stored, batches, requests: () => requests };
}

const required = (index: number) => ({
  code: 'invalid_request',
  message: 'id is required.',
  details: [{ path: `/events/${index}/id`, code: 'required', message: 'id is required.' }],
});
