/** A separate module, so that only the desk loads the schemas that `createClient` validates answers with. */
export { createClient } from '@fairlead/contract';
