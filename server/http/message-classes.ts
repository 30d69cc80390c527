import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The classes of the requests and responses of a server. */
export type MessageClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/**
 * Classes for the server of this application. Express gives each message that it handles another prototype; V8 then runs
 * Node's own code a third slower for all messages, also for those that the response cache answers. Messages of these classes
 * have that prototype from the start.
 */
export function messageClassesOf(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  // Extension points that Express documents ("Overriding the Express API"), but that its types lack.
  const extended = app as unknown as { request: object; response: object };
  extended.request = Object.setPrototypeOf(AppRequest.prototype, extended.request);
  extended.response = Object.setPrototypeOf(AppResponse.prototype, extended.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
