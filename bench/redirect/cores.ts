/** The contenders share one core, the load has another: neither takes the other's time. */
export const contenderCore = '0';
export const loadCore = '1';
