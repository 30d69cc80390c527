export const benchSecret = 'the secret of the webhooks bench';
