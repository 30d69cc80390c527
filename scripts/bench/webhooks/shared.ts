export const benchSecret = 'the secret of the webhooks bench';

/** On the clock that all processes of a machine share. */
export const nowMs = () => performance.timeOrigin + performance.now();
