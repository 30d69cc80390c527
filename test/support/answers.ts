export { type Answer, type AnswerHeaders, checkAnswer } from './answers/check.js';
export { createClient, type Received, type RequestOptions, type TestClient } from './answers/client.js';
