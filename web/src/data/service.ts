const named = document.querySelector<HTMLMetaElement>('meta[name="fairlead-service"]')?.content ?? '';

/** Where the service is that the page asks; empty for the origin that serves the page. */
export const serviceUrl = named === location.origin ? '' : named.replace(/\/+$/, '');

/** Only on its own origin does the page know that the service's operator serves it: the desk takes a key there. */
export const isOwnOrigin = serviceUrl === '';
