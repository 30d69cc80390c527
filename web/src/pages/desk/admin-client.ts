/** In a module of its own, since it brings the schemas that every answer is checked against: only the desk loads it. */
export { createClient } from '@fairlead/contract';
