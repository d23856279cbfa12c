import type { Attributes, Context, Span } from '@opentelemetry/api';
import type { BullMQOtel } from 'bullmq-otel';

/**
 * Traces of what a process does, exported over OTLP to a collector. A trace begins with an HTTP request and goes on through the jobs that it
 * queues to the webhooks that they send.
 */
export type Tracing = {
  /** What BullMQ carries a trace with, from whoever queues a job to whoever works it off. */
  telemetry: BullMQOtel;
  /**
   * Answers a request as a span, in the trace that its `traceparent` names (W3C Trace Context) or in a new one. `request_id` stands on every
   * span that follows from it, in this process and others. `describe` is asked when the request was answered.
   */
  request(incoming: Incoming, run: () => Promise<void>, describe: () => Answered): Promise<void>;
  /** Calls another service as a span of the trace at hand. */
  call<T>(name: string, attributes: Attributes, run: () => Promise<T>, describe: (answer: T) => Attributes): Promise<T>;
  /** The trace, span and request at hand, for log lines; empty where there is none. */
  ids(): Record<string, string>;
  /** Exports what is left, for two seconds at most. */
  close(): Promise<void>;
};

type Incoming = { request_id: string; method: string; headers: Record<string, string | string[] | undefined> };
type Answered = { name: string; status: number; attributes: Attributes };

/** The name of the request's id in the baggage that travels with a trace, on spans and in log lines. */
const REQUEST_ID = 'request_id';
const EXPORT_EVERY = 1_000;
const CLOSE_WITHIN = 2_000;

/**
 * Begins to export spans to the collector at `endpoint` (as OTEL_EXPORTER_OTLP_ENDPOINT gives it: its base URL), once a process. At most 2,048
 * spans wait; while the collector is away, more are dropped. OpenTelemetry is loaded only here: without an endpoint nobody pays for it.
 */
export async function openTracing(endpoint: string, service: string): Promise<Tracing> {
  const [{ context, propagation, SpanKind, SpanStatusCode, trace }, sdk, core, hooks, resources, exporter, bullmq] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/core'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('bullmq-otel'),
    ]);
  const requestIdOf = (at: Context) => propagation.getBaggage(at)?.getEntry(REQUEST_ID)?.value;
  const nameRequest = {
    onStart(span: Span, parent: Context) {
      const request_id = requestIdOf(parent);
      if (request_id) span.setAttribute(REQUEST_ID, request_id);
    },
    onEnd() {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [
      nameRequest,
      new sdk.BatchSpanProcessor({
        scheduledDelayMillis: EXPORT_EVERY,
        exporter: new exporter.OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` }),
      }),
    ],
  });
  const traceContext = new core.W3CTraceContextPropagator();
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new core.CompositePropagator({ propagators: [traceContext, new core.W3CBaggagePropagator()] }),
  );
  const tracer = trace.getTracer('oversight');

  return {
    telemetry: new bullmq.BullMQOtel({ tracerName: 'oversight' }),
    request({ request_id, method, headers }, run, describe) {
      // A stranger may name a trace, and nothing else that travels with it.
      const getter = { keys: () => Object.keys(headers), get: (_: unknown, key: string) => headers[key] };
      const sent = traceContext.extract(context.active(), headers, getter);
      const baggage = propagation.createBaggage({ [REQUEST_ID]: { value: request_id } });
      const parent = propagation.setBaggage(sent, baggage);
      return tracer.startActiveSpan(method, { kind: SpanKind.SERVER }, parent, async span => {
        try {
          await run();
        } finally {
          const { name, status, attributes } = describe();
          span.updateName(name);
          span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status, ...attributes });
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        }
      });
    },
    call: (name, attributes, run, describe) =>
      tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async span => {
        try {
          const answer = await run();
          span.setAttributes(describe(answer));
          return answer;
        } finally {
          span.end();
        }
      }),
    ids() {
      const at = context.active();
      const span = trace.getSpanContext(at);
      if (!span) return {};
      const request_id = requestIdOf(at);
      return { trace_id: span.traceId, span_id: span.spanId, ...(request_id && { request_id }) };
    },
    async close() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_WITHIN);
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}
