import test from 'ava';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { startWorkers } from '#workers/run.ts';
import { event } from '#test/helpers/make.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

type Value = { stringValue?: string; intValue?: number };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Value }[];
};

test('one trace leads from the request that reported an event to the webhook about it, and names the request', async t => {
  const collector = await receiver(t);
  const w = await world(t, {
    thresholds: true,
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin },
  });
  const { url, received } = await receiver(t);
  await createEndpoint(w.db, w.config, w.tenant, { url }, Date.now());
  const workers = await startWorkers(w.services, ['detect', 'webhook']);
  t.teardown(workers.stop);
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${trace_id}-00f067aa0ba902b7-01`;
  const baggage = 'request_id=forged';
  const sent = await w.as.post('/v1/events', event({ cents: '70000' }), { traceparent, baggage });
  const request_id = sent.headers.get('request-id');
  const spans = () =>
    collector.received
      .flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
      .flatMap(resource => resource.scopeSpans as { spans: Span[] }[])
      .flatMap(scope => scope.spans)
      .filter(span => span.traceId === trace_id);
  /** The spans from the attempt up to the first; those that are still open have not been exported. */
  const way = () => {
    const byId = new Map(spans().map(span => [span.spanId, span]));
    const names: string[] = [];
    let span = spans().find(each => each.name === 'webhook attempt');
    for (; span; span = byId.get(span.parentSpanId ?? '')) names.push(span.name);
    return names;
  };
  await until(() => way().at(-1) === 'POST /v1/events');

  t.true(collector.received.every(request => request.url === '/v1/traces'));
  t.true(received.length > 0);
  for (const { headers } of received) t.false('traceparent' in headers);
  for (const kind of ['detect', 'webhook'])
    t.true(
      way().some(name => name.includes(kind)),
      way().join(' < '),
    );
  for (const { name, attributes } of spans())
    t.is(attributes.find(({ key }) => key === 'request_id')?.value.stringValue, request_id ?? '', name);
  t.false(JSON.stringify(spans()).includes(w.full.key));
});
