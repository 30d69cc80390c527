import { expect, it } from '@jest/globals';
import { createDispatcher, type DispatcherDeps } from '../../../server/deliveries/dispatcher.js';
import { deliveryLimits } from '../../../server/deliveries/limits.js';
import { silentLogger } from '../../support/silent-logger.js';

it('a pass that fails is logged once, however many wake-ups came meanwhile', async () => {
  const logged: string[] = [];
  let fail: () => void = () => undefined;
  const dispatcher = createDispatcher({
    outbox: {
      openEvents: () =>
        new Promise((_, reject) => {
          fail = () => reject(new Error('no answer'));
        }),
    },
    stopwatch: () => 0,
    logger: { ...silentLogger, error: (_fields: object, message: string) => logged.push(message) },
    limits: deliveryLimits,
  } as unknown as DispatcherDeps);
  for (let count = 0; count < 10; count += 1) dispatcher.wake('events');
  fail();
  await dispatcher.stop();
  expect(logged).toHaveLength(1);
});
