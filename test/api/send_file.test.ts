import { createServer } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import test from 'ava';
import Koa from 'koa';
import { sendFile } from '#api/send_file.ts';
import { listening } from '#test/helpers/listening.ts';
import { until } from '#test/helpers/until.ts';

test('a download that nobody reads ends, and with it what is read for it', async t => {
  const chunk = Buffer.alloc(2 ** 20);
  const stream = new Readable({
    read() {
      this.push(chunk);
    },
  });
  const app = Object.assign(new Koa(), { silent: true });
  const size = 2 ** 40;
  app.use(ctx => sendFile(ctx, { stream, media_type: 'application/zip', size, name: 'pack.zip' }, 50));
  const server = createServer(app.callback());
  const client = connect(await listening(t, server), '127.0.0.1');
  t.teardown(() => client.destroy());
  client.on('error', () => {});
  client.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => stream.destroyed);
  await until(async () => (await new Promise(resolve => server.getConnections((_, count) => resolve(count)))) === 0);
  t.pass();
});
