/** Whether this is a page, or a worker, of a browser. */
export const isPage = (): boolean => 'location' in globalThis
