/** The name under which connections appear in pg_stat_activity. In a file of its own, so that the worker of the embedded database need not load the driver. */
export const APPLICATION_NAME = 'pet-store'
