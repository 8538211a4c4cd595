/** The name under which connections appear in pg_stat_activity. By itself, so that the worker of the embedded database need not load the driver. */
export const APPLICATION_NAME = 'pet-store'
