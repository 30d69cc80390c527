/** Jest's resolver, and what TypeScript does besides: `./rates.js` in a source of ours is the file `rates.ts`. */
module.exports = (request, options) => {
  const ours =
    request.startsWith('.') && request.endsWith('.js') && !options.basedir.includes('node_modules');
  if (!ours) return options.defaultResolver(request, options);
  try {
    return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
  } catch {
    return options.defaultResolver(request, options);
  }
};
