// Preloaded into a process (`--require`): at its end, writes the CommonJS modules that were loaded to LOADED_MODULES_FILE.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  writeFileSync(process.env.LOADED_MODULES_FILE, JSON.stringify(Object.keys(require.cache)));
});
