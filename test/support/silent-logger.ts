export { silentLogger } from '../../server/logger.js';
