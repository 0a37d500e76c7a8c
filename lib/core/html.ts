const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML, for content and for attributes. */
export const escapeHTML = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] as string)
