/** Repeats generated cases: SEED=… (a failure prints it). CI sends the same ones every time, so a failure there is due to the change. */
export const seed = Number(process.env.SEED ?? (process.env.CI ? 1 : Date.now() % 2 ** 31))
