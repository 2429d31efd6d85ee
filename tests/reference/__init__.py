"""Independent reference solutions: phases stitched by hand, none of them made with the package under test."""
