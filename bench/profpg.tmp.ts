import { startBenchPostgres } from '/work/main/bench/data.ts'
const pg = await startBenchPostgres()
console.log('NOW', await pg.createFilled(200000))
console.log('BASE', await pg.createFilled(200000, { checkout: '/work/wt/base' }))
setInterval(()=>{}, 1e6)
