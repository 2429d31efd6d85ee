"""Drawing: the style of all pictures, the parts of schematic drawings, and machines drawn from their descriptions."""
