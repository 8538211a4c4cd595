/** The environment variables that say where a database is. */
export type DatabaseVariable = 'DATABASE_URL' | 'DATABASE_LISTEN_URL' | 'DATA_DIR'
