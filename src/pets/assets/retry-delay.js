/**
 * How long to wait before something is tried again: twice as long each time, and 8 s at most.
 * @param {number} failures how often it has failed in sequence, before the last time
 * @returns {number} in milliseconds
 */
export const retryDelay = (failures) => 500 * 2 ** Math.min(failures, 4)
