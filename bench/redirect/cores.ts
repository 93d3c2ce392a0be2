/** The contenders share one core, and the load generator has another, so that neither slows down the other. */
export const contenderCore = '0';
export const loadCore = '1';
