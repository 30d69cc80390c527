// How large the answers of an anchor may be, whoever asks for them.

export const maxInfoBytes = 256 * 1024;
export const maxPriceBytes = 64 * 1024;
