import test from 'ava';
import { createEndpointLimiter, type EndpointLimiter } from '#workers/endpoint_limiter.ts';

test('an endpoint has ten places and gets one back for each delivery that leaves', t => {
  const limiter = createEndpointLimiter({ places: 200 });
  t.is(fill(limiter, 'a', 50), 10);
  limiter.leave('a', 'a-0', true);
  t.true(limiter.enter('a', 'again'));
  t.false(limiter.enter('a', 'one too many'));
});

test('a delivery is not sent twice at once', t => {
  const limiter = createEndpointLimiter({ places: 200 });
  t.true(limiter.enter('a', 'd'));
  t.false(limiter.enter('a', 'd'));
  limiter.leave('a', 'd', true);
  t.true(limiter.enter('a', 'd'));
});

test('however many endpoints hang, those that answer find a place', t => {
  const limiter = createEndpointLimiter({ places: 200 });
  const hung = Array.from({ length: 1_000 }, (_, index) => `hung-${index}`);
  for (const name of hung) {
    limiter.enter(name, 'first');
    limiter.leave(name, 'first', false);
  }
  const taken = hung.map(name => fill(limiter, name, 20)).reduce((sum, count) => sum + count, 0);
  t.true(taken <= 150, `${taken} places of 200 are held by endpoints that do not answer`);
  t.true(fill(limiter, 'good', 20) >= 5);
});

test('before it is known which endpoints hang, the places are shared out', t => {
  const limiter = createEndpointLimiter({ places: 200 });
  for (let index = 0; index < 50; index++) fill(limiter, `new-${index}`, 20);
  t.true(fill(limiter, 'good', 20) >= 1);
});

test('an endpoint that hangs keeps its ten places while there is room, so that its waits stay as they should', t => {
  const limiter = createEndpointLimiter({ places: 200 });
  limiter.enter('hung', 'first');
  limiter.leave('hung', 'first', false);
  t.is(fill(limiter, 'hung', 20), 10);
});

test('what was turned away is brought back, as many as have left, by one claim at a time', async t => {
  const limiter = createEndpointLimiter({ places: 200 });
  fill(limiter, 'a', 15);
  const wanted: number[] = [];
  const { promise: claiming, resolve: began } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const claim = async (count: number, being_sent: string[]) => {
    wanted.push(count);
    t.is(being_sent.length + wanted.reduce((sum, each) => sum + each, 0), 10, 'no more than fit');
    began();
    await answered;
    return count;
  };
  const leave = (delivery: string) => {
    limiter.leave('a', delivery, true);
    return limiter.refill('a', claim);
  };
  const first = leave('a-0');
  await leave('a-1');
  await claiming;
  await Promise.all(['a-2', 'a-3', 'a-4'].map(leave));
  t.deepEqual(wanted, [2]);
  answer();
  await first;
  t.deepEqual(wanted, [2, 3]);
});

test('nothing is claimed for an endpoint that has turned nobody away, nor after nothing was left', async t => {
  const limiter = createEndpointLimiter({ places: 200 });
  let claims = 0;
  const claim = async () => {
    claims += 1;
    return 0;
  };
  fill(limiter, 'a', 10);
  limiter.leave('a', 'a-0', true);
  await limiter.refill('a', claim);
  t.is(claims, 0);
  fill(limiter, 'a', 15);
  for (const gone of ['a-1', 'a-2', 'a-3']) {
    limiter.leave('a', gone, true);
    await limiter.refill('a', claim);
  }
  t.is(claims, 1);
});

test('a claim that fails is made up for by the next', async t => {
  const limiter = createEndpointLimiter({ places: 200 });
  fill(limiter, 'a', 15);
  limiter.leave('a', 'a-0', true);
  await t.throwsAsync(limiter.refill('a', () => Promise.reject(new Error('the database is away'))));
  fill(limiter, 'a', 15);
  limiter.leave('a', 'a-1', true);
  let claims = 0;
  await limiter.refill('a', async () => ++claims);
  t.is(claims, 1);
});

test('of what is turned away the latest thousand are known, and nothing that found a place afterwards', t => {
  const limiter = createEndpointLimiter({ places: 200 });
  fill(limiter, 'a', 10);
  for (let number = 0; number < 5_000; number++) limiter.enter('a', `late-${number}`, 'then');
  limiter.leave('a', 'a-0', true);
  t.true(limiter.enter('a', 'late-4999', 'then'));
  const known = limiter.takeTurnedAway('a');
  t.is(known.size, 999);
  t.is(known.get('late-4998'), 'then');
  t.false(known.has('late-4999'));
  t.is(limiter.takeTurnedAway('a').size, 0);
});

test('an endpoint that was not asked is what it was before', t => {
  const limiter = createEndpointLimiter({ places: 200 });
  limiter.enter('a', 'd');
  limiter.leave('a', 'd', false);
  limiter.enter('a', 'd');
  limiter.leave('a', 'd', null);
  t.is(limiter.heldBack().silent, 1);
});

test('an endpoint that was not asked for an hour is forgotten, unless something is being sent to it', t => {
  let at = 0;
  const limiter = createEndpointLimiter({ places: 200, clock: () => at });
  for (const endpoint of ['a', 'b']) {
    limiter.enter(endpoint, 'd');
    limiter.leave(endpoint, 'd', false);
  }
  limiter.enter('b', 'again');
  at = 3_599_999;
  t.is(limiter.heldBack().silent, 2);
  at = 3_600_000;
  t.is(limiter.heldBack().silent, 1);
  limiter.leave('b', 'again', false);
  t.is(limiter.heldBack().silent, 1);
});

/** How many of `count` deliveries of an endpoint got a place. */
const fill = (limiter: EndpointLimiter, endpoint: string, count: number) =>
  Array.from({ length: count }, (_, index) => limiter.enter(endpoint, `${endpoint}-${index}`)).filter(Boolean).length;
