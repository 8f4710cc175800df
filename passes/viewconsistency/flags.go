package viewconsistency

// Flags of the definition: without them the analyzer follows the papers to the letter.
var readWrite, correlation bool
