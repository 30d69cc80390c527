import { afterEach, beforeEach } from 'vitest';
import { type ReferenceOracle, startReferenceOracle } from '../../scripts/reference-oracle/index.js';
import { type InstanceOptions, type PublisherInstance, publisherInstance } from './publisher-instance.js';

export * from './publisher-instance.js';

/** An oracle and any number of instances on one database, anew for every test of the file. */
export interface PublisherTests {
  readonly oracle: ReferenceOracle;
  /** One more instance, that submits to the oracle unless told otherwise. */
  open(options?: Partial<InstanceOptions>): Promise<PublisherInstance>;
}

/** Call it once at the top of a file that has called testDatabase(). */
export function publisherTests(database: { uri: string }): PublisherTests {
  let oracle: ReferenceOracle | undefined;
  const opened: PublisherInstance[] = [];
  const running = () => {
    if (oracle === undefined) throw new Error('the oracle is started before each test');
    return oracle;
  };
  beforeEach(async () => {
    oracle = await startReferenceOracle({ clock: Date.now });
  });
  afterEach(async () => {
    await opened[0]?.connection.dropDatabase();
    for (const each of opened.splice(0)) await each.close();
    await oracle?.stop();
  });
  return {
    get oracle() {
      return running();
    },
    async open(options = {}) {
      const made = await publisherInstance({ uri: database.uri, oracleUrl: running().url, ...options });
      opened.push(made);
      return made;
    },
  };
}
