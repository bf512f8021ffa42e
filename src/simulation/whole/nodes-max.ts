/** Nodes of one run of the whole lane. More take long, and show nothing that fewer do not. */
export const wholeNodesMax = 6;
