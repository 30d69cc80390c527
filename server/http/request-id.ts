import type { RequestHandler } from 'express';
import type { NewId } from '../ports.js';

const acceptable = /^[A-Za-z0-9._-]{8,64}$/;

/** Gives every answer an X-Request-Id; a caller's own is kept when it is short and harmless. */
export function requestId(deps: { newId: NewId }): RequestHandler {
  return (req, res, next) => {
    const given = req.get('x-request-id');
    const id = given !== undefined && acceptable.test(given) ? given : deps.newId();
    res.locals.requestId = id;
    res.setHeader('X-Request-Id', id);
    next();
  };
}
