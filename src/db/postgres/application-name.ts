/** The name under which connections appear in pg_stat_activity. */
export const APPLICATION_NAME = 'pet-store'
