/** The secret that all nodes of a test have in common. */
export const SECRET_KEY = 'the same secret on every node, long enough';
