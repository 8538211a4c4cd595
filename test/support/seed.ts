/** Repeats generated cases: SEED=… (a failure prints it). CI sends the same ones every time, so a failure there is due to the change. */
export const seed = Number(process.env.SEED ?? (process.env.CI ? 1 : Date.now() % 2 ** 31))

/** How many cases to generate: on the embedded database, on which `npm test` runs them, a fifth. RUNS is another number. */
export const countRuns = (count: number) =>
  Number(process.env.RUNS ?? (process.env.TEST_DATABASE === 'embedded' ? count / 5 : count))
