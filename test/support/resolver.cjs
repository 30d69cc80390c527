const { join } = require('node:path');

/** The page imports the package by its name, and is built from its sources: web/vite.config.ts. */
const sources = {
  '@fairlead/contract': join(__dirname, '../../contract/index.ts'),
  '@fairlead/contract/client': join(__dirname, '../../contract/client/index.ts'),
};

/** Jest's resolver, and what TypeScript does besides: `./rates.js` in a source of ours is the file `rates.ts`. */
module.exports = (request, options) => {
  if (Object.hasOwn(sources, request)) return sources[request];
  const ours =
    request.startsWith('.') && request.endsWith('.js') && !options.basedir.includes('node_modules');
  if (!ours) return options.defaultResolver(request, options);
  try {
    return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
  } catch {
    return options.defaultResolver(request, options);
  }
};
