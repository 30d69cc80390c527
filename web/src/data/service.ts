const named = document.querySelector<HTMLMetaElement>('meta[name="fairlead-service"]')?.content ?? '';

/** Where the service is that the page asks; empty for the origin that serves the page. */
export const serviceUrl = named === location.origin ? '' : named.replace(/\/+$/, '');

/** Only on its own origin can the page be sure that the service's operator serves it: there the desk accepts a key. */
export const isOwnOrigin = serviceUrl === '';
