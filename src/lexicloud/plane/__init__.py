"""Points on a plane: laid out from vectors or distances, how well that fits, and regions; arrays in, arrays out."""
